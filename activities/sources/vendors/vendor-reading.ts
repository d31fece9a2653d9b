import type { DayRange } from '../../../domain/shared/day-ranges.ts';
import type { VendorPlace } from '../../../domain/sources/vendors/vendors.ts';
import type { VendorSums } from '../../../domain/sources/vendors/vendor-sums.ts';
import type { AskVendor } from './ask-vendor.ts';

/** What the reading of a vendor needs, and adds to. */
export interface VendorReading {
  ask: AskVendor;
  place: VendorPlace;
  token: string;
  days: DayRange;
  /** The currency of the vendor and the organisation. */
  currency: string;
  /** What the vendor bills, by day and tool. */
  spend: VendorSums;
  /** What the vendor says of usage, in any unit for each tool; null if nobody needs it. It is never a bill. */
  usage: VendorSums | null;
  /** Reports what has been read so far. */
  report: (rows: number) => void;
}

/** Reads the spend and usage of the days. Throws if the vendor's answer is not whole. */
export type ReadVendor = (reading: VendorReading) => Promise<void>;
