/** Credentials and place of the object storage, by AWS's own variables. */
export interface ObjectStorage {
  keyId: string | null;
  secret: string | null;
  sessionToken: string | null;
  region: string | null;
  /** Another endpoint than AWS's, for example of MinIO: `http://host:port`. */
  endpoint: string | null;
}
