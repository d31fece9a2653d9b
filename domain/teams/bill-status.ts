import type { Month } from '../shared/calendar.ts';

export type BillStatus = 'estimate' | 'waiting' | 'sealed';

/** Inputs of the rule for a bill's status (docs/concepts.md#bills). */
export interface BillFacts {
  month: Month;
  settled: boolean;
  /** Whether the month's bills have sealed and still hold. */
  sealed: boolean;
  /** Whether the team has a bill. A team created after the seal has no bill. */
  hasBill: boolean;
  /** Metrics that split a shared cost but have no value for the month, or not all of them, in words. */
  missing: readonly string[];
}

export function billStatus({ sealed, settled, hasBill, missing }: BillFacts): BillStatus {
  if (sealed) return hasBill ? 'sealed' : 'waiting';
  return settled && missing.length > 0 ? 'waiting' : 'estimate';
}

/** Returns what a bill waits for beside its month's spend and settlement, in words; empty for a sealed bill. */
export function billWaits({ month, sealed, hasBill, missing }: BillFacts): readonly string[] {
  if (!sealed) return missing;
  return hasBill
    ? []
    : [`the team was created after the bills of ${month} had sealed; an admin may seal them again`];
}

/** Returns the words for metrics that split a shared cost but have no value for a month. */
export const missingValues = (month: Month, names: readonly string[]): string[] =>
  names.map(
    (name) => `metric ${JSON.stringify(name)}, by which a shared cost is split, has no value for ${month}`,
  );
