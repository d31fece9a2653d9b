import { missingOf, type ExportFile } from '../feeds/export-files.ts';
import type { BillFormat, MappedName, NativeValue } from './bill-format.ts';
import { NativeRow } from './native-row.ts';

/** The columns of FOCUS that every line needs, beside the cost and the account. */
const MANDATORY = [
  'BillingCurrency',
  'ChargePeriodStart',
  'ChargePeriodEnd',
  'BillingPeriodStart',
  'ProviderName',
] as const satisfies readonly MappedName[];

/**
 * Returns the mandatory columns that a file in a native format lacks, each with its other names.
 *
 * @throws ServiceError `invalid` if DuckDB cannot read the numbers of a column exactly.
 */
export function missingColumnsOf(
  file: ExportFile,
  format: BillFormat,
  costColumn: 'EffectiveCost' | 'BilledCost',
): string[] {
  const { columns } = format;
  const row = new NativeRow(file, format);
  const values = [costColumn, ...MANDATORY].flatMap((name) => columns[name] ?? []);
  const needs = [...values.flatMap((value) => value.needs), accountIn(columns)].filter(
    ({ length }) => length > 0,
  );
  const read = Object.values(columns).flatMap((value: NativeValue) => value.reads);
  const missing = missingOf(file, [
    ...needs.map((names) => ({ names, found: row.found(names), isMandatory: true })),
    { names: [], found: row.found(read), isMandatory: false },
  ]);
  // Several values may need one column.
  return [...new Set(missing)];
}

/** The account, or the billing account. */
const accountIn = ({ SubAccountId, BillingAccountId }: BillFormat['columns']): readonly string[] =>
  [SubAccountId, BillingAccountId].flatMap((value) => value?.reads ?? []);
