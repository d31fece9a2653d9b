import { ServiceError } from '../../domain/shared/errors.ts';
import { credentialTypeOf, type Credentials, type CredentialType } from '../../domain/sources/credentials.ts';
import { fixedPart, Glob } from '../../domain/sources/exports/glob.ts';
import type { OperatorBuckets } from '../../domain/sources/exports/object-storage.ts';
import { listBucket, type BucketRules } from '../../egress/buckets/list-bucket.ts';
import { openedBuckets } from '../../egress/buckets/opened-buckets.ts';
import { openRemoteFile } from '../../egress/locations/remote-file.ts';
import { checkTables } from './tables/check-table.ts';
import type { PrivateTargets } from '../../egress/requests/private-targets.ts';

/** Credentials, and what they must open. */
export interface CredentialsToCheck {
  orgId: string;
  credentials: Credentials;
  /** All that the source reads (file-locations.ts). Locations of other clouds are left out. */
  locations: readonly string[];
}

interface Asking {
  operatorBuckets: OperatorBuckets;
  privateTargets: PrivateTargets;
  /** The setting BIGQUERY_API_ENDPOINT. */
  bigQueryEndpoint?: string | undefined;
  signal: AbortSignal;
}

/** For each type of credentials: tries what a reading does. Throws `invalid` that says what to change. */
const CHECKS: Record<CredentialType, (given: CredentialsToCheck, asking: Asking) => Promise<void>> = {
  s3: openBuckets,
  gcs: openBuckets,
  azure: openBuckets,
  google: ({ credentials, locations }, asking) =>
    credentials.type === 'google' ? checkTables(credentials, locations, asking) : Promise.resolve(),
  token: () => Promise.resolve(),
};

/**
 * Tries credentials on what their source reads, and stores nothing. Reads no more than a page of each list, and one byte of a file.
 *
 * @returns what to change, in sentences that repeat no credential; none if the credentials open it.
 * @throws Outage if the service cannot be asked.
 */
export async function checkCredentials(given: CredentialsToCheck, asking: Asking): Promise<string[]> {
  try {
    await CHECKS[given.credentials.type](given, asking);
    return [];
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalid') return [error.message];
    throw error;
  }
}

/** Enough to find one file beside folders and manifests. */
const MOST_LISTED = 1_000;

async function openBuckets(
  { orgId, credentials, locations }: CredentialsToCheck,
  { operatorBuckets, privateTargets, signal }: Asking,
): Promise<void> {
  const field = 'credentials';
  const buckets = await openedBuckets(operatorBuckets, credentials, orgId, { privateTargets, field, signal });
  const rules: BucketRules = { buckets, privateTargets, field, signal };
  for (const location of locations.filter((one) => credentialTypeOf(one) === credentials.type)) {
    const pattern = location.replace(/\/$/, '/**');
    const glob = new Glob(pattern);
    const files = await listBucket(fixedPart(pattern), rules, MOST_LISTED);
    const readable = files.find(({ path, bytes }) => bytes > 0 && glob.matches(path));
    if (readable !== undefined) (await openRemoteFile(readable.path, rules, 'bytes=0-0')).destroy();
  }
}
