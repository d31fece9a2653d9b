import type { Feature } from '../organisations/tiers.ts';
import type { Month } from '../shared/calendar.ts';

/** What a data team can have as rows. */
export const EXPORT_KINDS = ['months', 'bills', 'spend', 'values'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Returns the feature that an organisation's plan needs for a kind; null if every plan has it. */
export const featureOf = (kind: ExportKind): Feature | null => (kind === 'spend' ? null : 'unit_economics');

/** How many months a nightly export writes: the running one, and a year before it. */
export const NIGHTLY_MONTHS = 13;

/** The path of a month's file. The name of its folder makes the month a column (Hive partitioning). */
export const exportPath = (kind: ExportKind, month: Month): string => `${kind}/month=${month}/data.parquet`;
