/** Credentials and place of the object storage, from AWS's own environment variables. */
export interface ObjectStorage {
  keyId: string | null;
  secret: string | null;
  sessionToken: string | null;
  region: string | null;
  /** An endpoint other than AWS's, for example MinIO's: `http://host:port`. */
  endpoint: string | null;
}
