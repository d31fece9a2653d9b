import { invalid } from '../../../domain/shared/errors.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { VENDORS, type Vendor, type VendorPlace } from '../../../domain/sources/vendors/vendors.ts';
import type { PrivateTargets } from '../../../egress/requests/private-targets.ts';
import { isOperatorsHost } from '../../../egress/requests/trusted-host.ts';
import { readAnthropic } from './anthropic.ts';
import { askVendor } from './ask-vendor.ts';
import { readCursor } from './cursor.ts';
import { readGitHub } from './github.ts';
import type { ReadVendor, VendorReading } from './vendor-reading.ts';

const READERS: Record<Vendor, ReadVendor> = {
  github: readGitHub,
  anthropic: readAnthropic,
  cursor: readCursor,
};

/**
 * Reads days of a vendor.
 *
 * @throws ServiceError `invalid` without a token, for a host that gets none, and as {@link askVendor} does.
 */
export async function readVendorDays(
  place: VendorPlace,
  wanted: Omit<VendorReading, 'ask' | 'place' | 'token'>,
  {
    credentials,
    ...access
  }: { credentials: Credentials | null; privateTargets: PrivateTargets; signal: AbortSignal },
): Promise<void> {
  const token = await tokenFor(place, credentials, access.privateTargets);
  await READERS[place.vendor]({ ask: askVendor({ place, ...access }), place, token, ...wanted });
}

/**
 * Returns the token for a place. A stored token goes only to the vendor, and to hosts that the operator has listed.
 *
 * @throws ServiceError `invalid` without a token, and for another host.
 */
async function tokenFor(
  { vendor, host, isOwnHost }: VendorPlace,
  credentials: Credentials | null,
  privateTargets: PrivateTargets,
): Promise<string> {
  const { name, location, right } = VENDORS[vendor];
  if (credentials?.type !== 'token')
    throw invalid(
      `credentials: expected {"type":"token","token":...} to read ${name}, got none; set them for the source. It needs ${right}`,
    );
  if (!isOwnHost && !(await isOperatorsHost(privateTargets, host, 'location')))
    throw invalid(
      `location: ${JSON.stringify(host)} is no host of ${name}, and gets no token; ${location}, or let the operator list it in PRIVATE_TARGETS`,
    );
  return credentials.token;
}
