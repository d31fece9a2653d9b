import type { BigQueryColumn } from '../../../../domain/shared/bigquery-query.ts';
import type { Month } from '../../../../domain/shared/calendar.ts';

/** An amount of a line, in GoogleSQL. */
export interface LineAmount {
  /** Exact; null if it cannot be read. */
  amount: string;
  /** The amount as it is written, for messages. */
  raw: string;
}

/** A table of BigQuery with the lines of bills, and its columns as FOCUS names them, in GoogleSQL on the table `bill`. */
export interface BillTable {
  /** `project.dataset.table`, whose characters need no escape. */
  name: string;
  /** The month of a line's billing period, as `2026-01`; null if a line has none. */
  month: string;
  /** Limits the scan to the lines of a month and some others, if the table is stored by it. */
  nearMonth: (month: Month) => string | null;
  /** The instants of the billing period, in microseconds; null if the month is the period. */
  billingPeriod: { start: string; end: string | null } | null;
  /** When a line was exported; null if the table does not say. */
  exportTime: string | null;
  chargeStart: string;
  chargeEnd: string;
  effectiveCost: LineAmount | null;
  billedCost: LineAmount | null;
  /** Texts that lines are grouped by: columns of FOCUS, by name. */
  keys: Readonly<Record<string, string>>;
  /** The id of the resource, by the name of its column; null without one. */
  resource: { column: string; id: string; names: Readonly<Record<string, string>> } | null;
  /** The name of the account, by the name of its column. */
  accountName: Readonly<Record<string, string>>;
  service: string | null;
  /** The resource group; null if the table has neither it nor ids of resources. */
  resourceGroup: string | null;
  tags: BillTags | null;
  /** The sum of a line's credits that its cost may lack; null if the table lists none. */
  credits: string | null;
  /** What the table calls a column of FOCUS, for messages; absent if it calls it the same. */
  called: Readonly<Record<string, string>>;
  /** Whether the table has commitments, whose purchases and usage are groups of their own. */
  commitment: string | null;
}

/** Tags as a repeated column of keys and values, or as one text with JSON. */
export type BillTags = { entries: string } | { text: string };

/** What a table is read as, or the mandatory columns that it lacks. */
export type BillTableOf = (
  name: string,
  columns: readonly BigQueryColumn[],
) => { table: BillTable } | { missing: string[] };

/** Returns the tags of a repeated column; null for any other column. */
export function entriesOf({ isRepeated, fields }: BigQueryColumn, column: string): BillTags | null {
  const has = (wanted: string): boolean => fields.some(({ name }) => name.toLowerCase() === wanted);
  return isRepeated && has('key') && has('value') ? { entries: column } : null;
}
