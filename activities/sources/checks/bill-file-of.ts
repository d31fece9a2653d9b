import type { BillFile } from '../../../warehouse/sources/bills/bill-relations.ts';
import { customFormat } from '../../../warehouse/sources/bills/custom-bill.ts';
import { formatOfKind } from '../../../warehouse/sources/bills/formats.ts';
import type { CostSource } from '../../../warehouse/sources/cost-sources.ts';
import type { ExportFile } from '../../../warehouse/sources/feeds/export-files.ts';

/** Returns a file of a bill with the format by which its source reads it. */
export function billFileOf(source: CostSource, file: ExportFile, currency: string): BillFile {
  const format =
    source.kind === 'custom' ? customFormat(source.options, currency) : formatOfKind(source.kind);
  return format === null ? file : { ...file, bill: format };
}
