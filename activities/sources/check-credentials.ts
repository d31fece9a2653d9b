import { addDays, dayOf } from '../../domain/shared/calendar.ts';
import { ServiceError } from '../../domain/shared/errors.ts';
import { credentialTypeOf, type CredentialType } from '../../domain/sources/credentials.ts';
import type { CredentialsToCheck } from '../../domain/sources/credentials-to-check.ts';
import { fixedPart, Glob } from '../../domain/sources/exports/glob.ts';
import type { OperatorBuckets } from '../../domain/sources/exports/object-storage.ts';
import { VendorSums } from '../../domain/sources/vendors/vendor-sums.ts';
import { vendorPlace, VENDORS } from '../../domain/sources/vendors/vendors.ts';
import { listBucket, type BucketRules } from '../../egress/buckets/list-bucket.ts';
import { openedBuckets } from '../../egress/buckets/opened-buckets.ts';
import { openRemoteFile } from '../../egress/locations/remote-file.ts';
import { bucketPattern } from './location-listing.ts';
import { checkTables } from './tables/check-table.ts';
import type { PrivateTargets } from '../../egress/requests/private-targets.ts';
import { readVendorDays } from './vendors/read-vendor-days.ts';

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
  token: readYesterday,
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
    const pattern = bucketPattern(location);
    const glob = new Glob(pattern);
    const files = await listBucket(fixedPart(pattern), rules, MOST_LISTED);
    const readable = files.find(({ path, bytes }) => bytes > 0 && glob.matches(path));
    if (readable !== undefined) (await openRemoteFile(readable.path, rules, 'bytes=0-0')).destroy();
  }
}

/** Asks the vendor for one day. A place that is none of the vendor's has an error of its own (api/sources/check-vendor.ts). */
async function readYesterday(
  { credentials, vendor, now }: CredentialsToCheck,
  { privateTargets, signal }: Asking,
): Promise<void> {
  const place = vendor === null ? null : vendorPlace(vendor.name, vendor.location);
  if (place === null) return;
  const yesterday = addDays(dayOf(now), -1);
  await readVendorDays(
    place,
    {
      days: { from: yesterday, to: yesterday },
      currency: VENDORS[place.vendor].currency,
      spend: new VendorSums(),
      usage: null,
      report: () => undefined,
    },
    { credentials, privateTargets, signal },
  );
}
