import { bucketPathOf, type Buckets } from '../../domain/sources/exports/object-storage.ts';
import { blobRequest } from './blob-request.ts';
import { signedRequest, type SignedRequest } from './signed-request.ts';

/** Returns the signed request of an object of a bucket, or of the bucket without a key; null if the path is in no bucket. */
export async function bucketRequest(
  path: string,
  buckets: Buckets,
  query: Record<string, string> = {},
): Promise<SignedRequest | null> {
  const parts = bucketPathOf(path);
  if (parts === null) return null;
  return parts.scheme === 'az'
    ? blobRequest(parts, buckets.az, query)
    : signedRequest(path, buckets[parts.scheme], 'GET', query);
}
