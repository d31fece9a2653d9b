import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { BILL_FORMATS } from '../../warehouse/sources/bills/formats.ts';
import type { BillFormat } from '../../warehouse/sources/bills/bill-format.ts';
import type { Reader } from '../../warehouse/engine/readers/reader.ts';
import { filesOfSet } from '../../warehouse/sources/bills/azure-sets.ts';
import type { ExportFile } from '../../warehouse/sources/feeds/export-files.ts';
import { missingColumnsOf } from '../../warehouse/sources/bills/missing-columns.ts';
import { missingColumns } from '../../warehouse/sources/focus/focus-columns.ts';
import { stageFocus } from '../../warehouse/sources/focus/focus-load.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import { ofKind } from './of-kind.ts';
import type { Reading } from './reading.ts';

type Bill = CostSourceOf<'focus' | keyof typeof BILL_FORMATS>;

/** Returns what reads the files of a cloud's bill, which are in FOCUS or in a format of their own. */
export const readBill =
  (format: BillFormat | null) =>
  async (
    { kind, location, options }: Bill,
    { sessions, load, files, currency }: Reading,
  ): Promise<StagedLoad> => {
    const { cost_column: costColumn } = options;
    const found = await files.at(
      'location',
      location,
      ofKind(kind, (file) =>
        format === null ? missingColumns(file, costColumn) : missingColumnsOf(file, format, costColumn),
      ),
      ...(format?.costSet === undefined
        ? []
        : [(all: readonly ExportFile[], reader: Reader) => filesOfSet(reader, all, costColumn)]),
    );
    return stageFocus(sessions, load, {
      files: format === null ? found : found.map((file) => ({ ...file, bill: format })),
      costColumn,
      currency,
    });
  };
