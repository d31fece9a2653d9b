import type { Feature } from '../organisations/tiers.ts';
import type { Month } from '../shared/calendar.ts';

/** What a data team can have as rows. */
export const EXPORT_KINDS = ['months', 'bills', 'spend', 'values'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Returns the feature that an organisation's plan needs for a kind; null if every plan has it. */
export const featureOf = (kind: ExportKind): Feature | null => (kind === 'spend' ? null : 'unit_economics');

/** How many months a nightly export writes: the running one, and a year before it. */
export const NIGHTLY_MONTHS = 13;

/** The folder of a month's file. Its name makes the month a column (Hive partitioning). */
export const exportFolder = (kind: ExportKind, month: Month): string => `${kind}/month=${month}`;
