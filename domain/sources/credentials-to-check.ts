import type { Credentials } from './credentials.ts';
import type { Vendor } from './vendors/vendors.ts';

/** Credentials, and what they must open. */
export interface CredentialsToCheck {
  orgId: string;
  credentials: Credentials;
  /** All that the source reads (file-locations.ts). Locations of other clouds are left out. */
  locations: readonly string[];
  /** The vendor whose API the source reads, and its location; null for other sources. */
  vendor: { name: Vendor; location: string } | null;
  now: Date;
}
