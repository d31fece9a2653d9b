import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { credentialTypeOf, type CredentialType } from '../../domain/sources/credentials.ts';
import { bucketOf, bucketPathOf } from '../../domain/sources/exports/object-storage.ts';
import { fixedPart } from '../../domain/sources/exports/glob.ts';

/** What of buckets a source may read. */
export interface BucketReach {
  /** Folders of buckets that the operator's own credentials open for the organisation, each with a slash at its end. */
  readonly buckets?: readonly string[];
  /** The type of the source's own credentials, which open what they open; null without any. */
  readonly credentials?: CredentialType | null;
}

const EXPECTED = 'expected s3://bucket/prefix/, gs://bucket/prefix/ or az://account/container/prefix/';

/**
 * Reads SOURCE_BUCKETS: folders of buckets, separated by commas. Ignores spaces and empty entries, so that an empty text allows
 * nothing. `{organisation}` stands for the id of an organisation.
 *
 * @returns the folders, each with a slash at its end, so that `acme` does not allow `acme-2`.
 * @throws Error that names the first malformed entry.
 */
export const parseSourceBuckets = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(folderOf);

function folderOf(entry: string): string {
  const folder = `${entry.replace(/\/+$/, '')}/`;
  const path = bucketPathOf(folder);
  if (path === null || path.bucket === '' || fixedPart(folder) !== folder || hasStep(folder))
    throw new Error(`SOURCE_BUCKETS: ${EXPECTED}, got ${JSON.stringify(entry)}`);
  return folder;
}

/** Whether a path has a segment that an HTTP client resolves, so that it would lead elsewhere. */
export const hasStep = (path: string): boolean =>
  path.split('/').some((segment) => segment === '.' || segment === '..');

/** Whether a source may read a path or glob of a bucket. Only what comes before the first wildcard decides. */
export const mayReadBucket = (path: string, { buckets = [], credentials = null }: BucketReach): boolean =>
  (credentials !== null && credentialTypeOf(path) === credentials) ||
  buckets.some((folder) => fixedPart(path).startsWith(folder));

/** Throws `invalid` that names SOURCE_BUCKETS if a source may not read a location in a bucket. */
export function refuseBucket(location: string, reach: BucketReach, field: string): void {
  if (mayReadBucket(location, reach)) return;
  const path = bucketPathOf(location);
  throw invalid(
    `${field}: without credentials of its own, a source may read only the buckets of the setting SOURCE_BUCKETS, and ` +
      `${path === null ? forMessage(location) : bucketOf(path)} is not one of them: give the source credentials, or ask the operator`,
  );
}
