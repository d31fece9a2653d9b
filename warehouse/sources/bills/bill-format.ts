import type { NativeRow, Spellings } from './native-row.ts';

/** A column of FOCUS as a native row has it. */
export interface MappedColumn {
  sql: string;
  /** DuckDB's type of the value. */
  type: string;
  /** What the file calls it, for messages. */
  called: string;
  /** SQL of the file's own value, if the value is made of it. */
  raw?: string;
  /** SQL of what the file calls it, if that depends on the row. */
  calledBy?: string;
}

/** Where the value of a FOCUS column is in a native format. */
export interface NativeValue {
  /** What the value is, for people: the columns, by their names. */
  words: string;
  /** Columns that a file must have for the value, each in one of several spellings. */
  needs: readonly (readonly string[])[];
  /** All columns that are read, by their names. */
  reads: readonly string[];
  /** Returns the value in a row; null if the file lacks its columns. */
  in: (row: NativeRow) => MappedColumn | null;
}

/** The tags of a native row. */
export type NativeTags =
  /** One column with all tags: JSON text, a MAP, or a list of keys and values. */
  | NativeValue
  /** Several columns, or keys that the format spells in its own way. */
  | { words: string; reads: readonly string[]; placesIn: (row: NativeRow) => TagPlace[] };

/** A column of a native row with tags. */
export interface TagPlace {
  sql: string;
  type: string;
  /** The key, if the column has the values of a single tag. */
  key?: string;
  /** What can stand before keys in the file, and is no part of them. */
  prefixes: readonly string[];
  /** What is put before keys. */
  group: string;
}

/** The FOCUS columns that native formats give. */
export const MAPPED = [
  'EffectiveCost',
  'BilledCost',
  'BillingCurrency',
  'ChargePeriodStart',
  'ChargePeriodEnd',
  'BillingPeriodStart',
  'ProviderName',
  'SubAccountId',
  'BillingAccountId',
  'SubAccountName',
  'ChargeCategory',
  'CommitmentDiscountId',
  'ServiceName',
  'ResourceId',
  'ResourceName',
  'AvailabilityZone',
  'x_ResourceGroupName',
] as const;

export type MappedName = (typeof MAPPED)[number];

/** A bill in a format of its own, read as FOCUS. */
export interface BillFormat extends Spellings {
  columns: Partial<Record<MappedName, NativeValue>>;
  tags?: NativeTags;
  /** Returns the SQL of what a line says about the set of costs that it is of, as bits; null if it says nothing. */
  costSet?: (row: NativeRow) => string | null;
}
