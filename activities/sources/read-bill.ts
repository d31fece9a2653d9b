import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { BillFormat } from '../../warehouse/sources/bills/bill-format.ts';
import { missingColumnsOf } from '../../warehouse/sources/bills/missing-columns.ts';
import { missingColumns } from '../../warehouse/sources/focus/focus-columns.ts';
import { stageFocus } from '../../warehouse/sources/focus/focus-load.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import { ofKind } from './of-kind.ts';
import type { Reading } from './reading.ts';

type Bill = CostSourceOf<'focus' | 'aws_cur'>;

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
    );
    return stageFocus(sessions, load, {
      files: format === null ? found : found.map((file) => ({ ...file, bill: format })),
      costColumn,
      currency,
    });
  };
