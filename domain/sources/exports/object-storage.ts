/** Credentials and place of an object storage that speaks S3's protocol, as AWS, Google Cloud Storage and MinIO do. */
export interface ObjectStorage {
  keyId: string | null;
  secret: string | null;
  sessionToken: string | null;
  region: string | null;
  /** An endpoint other than AWS's, for example MinIO's: `http://host:port`. */
  endpoint: string | null;
}

/** What opens containers of Azure Blob Storage: a shared access signature, or the key of the account, which makes them. */
export interface BlobStorage {
  sasToken: string | null;
  accountKey: string | null;
  /** The base of a service other than Azure's public one. */
  endpoint: string | null;
}

/** What opens the buckets of a source, by the scheme of their locations. */
export interface Buckets {
  s3: ObjectStorage;
  gs: ObjectStorage;
  az: BlobStorage;
}

/** The operator's own credentials, which open what SOURCE_BUCKETS lists. */
export interface OperatorBuckets extends Buckets {
  /** The service that lends roles, if it is not AWS's own. */
  sts: string | null;
}

const NO_KEY: ObjectStorage = { keyId: null, secret: null, sessionToken: null, region: null, endpoint: null };

/** No credentials for any bucket. */
export const NO_BUCKETS: Buckets = {
  s3: NO_KEY,
  gs: NO_KEY,
  az: { sasToken: null, accountKey: null, endpoint: null },
};

/** Where Google Cloud Storage speaks S3's protocol. */
export const GCS_ENDPOINT = 'https://storage.googleapis.com';

/** The region of AWS without another. Google accepts any in a signature. */
export const DEFAULT_REGION = 'us-east-1';

/** An object or a folder of a bucket. Azure's bucket is a container of a storage account. */
export type BucketPath =
  | { scheme: 's3' | 'gs'; bucket: string; key: string }
  | { scheme: 'az'; account: string; bucket: string; key: string };

/** Returns the parts of `s3://bucket/key`, `gs://bucket/key` or `az://account/container/key`; null for other paths. */
export function bucketPathOf(path: string): BucketPath | null {
  const [, written, first = '', rest = ''] = /^(s3|gs|az):\/\/([^/]+)\/(.*)$/is.exec(path) ?? [];
  const scheme = written?.toLowerCase();
  if (scheme === 's3' || scheme === 'gs') return { scheme, bucket: first, key: rest };
  if (scheme !== 'az') return null;
  const [bucket = ''] = rest.split('/', 1);
  return { scheme, account: first, bucket, key: rest.slice(bucket.length + 1) };
}

/** Returns the bucket of a path, with a slash at its end: `s3://bucket/` or `az://account/container/`. */
export const bucketOf = (path: BucketPath): string =>
  path.scheme === 'az' ? `az://${path.account}/${path.bucket}/` : `${path.scheme}://${path.bucket}/`;

/** The host that DuckDB's names of blobs have, wherever their account is. */
const BLOB_HOST = '.blob.core.windows.net';

/** Returns the path under which DuckDB opens a blob; other paths as they are. */
export const openedBlob = (path: string): string =>
  path.replace(/^az:\/\/([^/]+)\//, `azure://$1${BLOB_HOST}/`);

/** Returns a text that names blobs as locations do; see {@link openedBlob}. */
export const namedBlobs = (text: string): string =>
  text.includes('azure://')
    ? text.replace(/azure:\/\/([a-z0-9]+)\.blob\.core\.windows\.net\//g, 'az://$1/')
    : text;
