import { filesOfSet, listedOfSet } from '../../warehouse/sources/bills/azure-sets.ts';
import type { BillFormat } from '../../warehouse/sources/bills/bill-format.ts';
import { customFormat } from '../../warehouse/sources/bills/custom-bill.ts';
import { formatOfKind, type BILL_FORMATS } from '../../warehouse/sources/bills/formats.ts';
import { missingColumnsOf } from '../../warehouse/sources/bills/missing-columns.ts';
import { tellingColumnsOf } from '../../warehouse/sources/bills/telling-columns.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { ExportFile } from '../../warehouse/sources/feeds/export-files.ts';
import { missingColumns, type CostColumn } from '../../warehouse/sources/focus/focus-columns.ts';
import { stageFocus } from '../../warehouse/sources/focus/focus-load.ts';
import { missingCustomColumns } from './custom-columns.ts';
import { ofKind } from './of-kind.ts';
import { readChangedBills } from './read-changed.ts';
import type { Reading, SourceReading } from './reading.ts';

type Bill = CostSourceOf<'focus' | keyof typeof BILL_FORMATS>;

/** Reads the files of a cloud's bill, which are in FOCUS or in a format of their own. */
export function readBill({ kind, location, options }: Bill, reading: Reading): Promise<SourceReading> {
  const format = formatOfKind(kind);
  const { cost_column: costColumn } = options;
  const missing = (file: ExportFile): string[] =>
    format === null ? missingColumns(file, costColumn) : missingColumnsOf(file, format, costColumn);
  return stageBill({ location, costColumn, format, missing: ofKind(kind, missing) }, reading);
}

/** Reads a bill of another vendor, whose columns the options name. */
export function readCustomBill(
  { location, options }: CostSourceOf<'custom'>,
  reading: Reading,
): Promise<SourceReading> {
  const format = customFormat(options, reading.currency);
  const { columns, cost_column: costColumn } = options;
  const missing = (file: ExportFile): string[] => {
    const lacking = missingCustomColumns(file, columns);
    return lacking.length > 0 ? lacking : missingColumnsOf(file, format, costColumn);
  };
  return stageBill({ location, costColumn, format, missing }, reading);
}

interface BillReading {
  location: string;
  costColumn: CostColumn;
  format: BillFormat | null;
  missing: (file: ExportFile) => string[];
}

function stageBill(
  { location, costColumn, format, missing }: BillReading,
  reading: Reading,
): Promise<SourceReading> {
  const { sessions, load, currency } = reading;
  const hasSets = format?.costSet !== undefined;
  return readChangedBills(
    reading,
    {
      location,
      missing,
      sets: hasSets ? (files) => listedOfSet(files, costColumn) : undefined,
      telling: format === null ? undefined : (file) => tellingColumnsOf(file, format),
      choose: hasSets ? (files, reader) => filesOfSet(reader, files, costColumn) : undefined,
    },
    (found, part) =>
      stageFocus(sessions, load, {
        files: format === null ? found : found.map((file) => ({ ...file, bill: format })),
        costColumn,
        currency,
        part,
      }),
  );
}
