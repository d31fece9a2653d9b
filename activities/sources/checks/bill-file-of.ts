import type { BillFormat } from '../../../warehouse/sources/bills/bill-format.ts';
import type { BillFile } from '../../../warehouse/sources/bills/bill-relations.ts';
import { customFormat } from '../../../warehouse/sources/bills/custom-bill.ts';
import { BILL_FORMATS } from '../../../warehouse/sources/bills/formats.ts';
import type { CostSource } from '../../../warehouse/sources/cost-sources.ts';
import type { ExportFile } from '../../../warehouse/sources/feeds/export-files.ts';

/** Returns a file of a bill with the format by which its source reads it. */
export function billFileOf(source: CostSource, file: ExportFile, currency: string): BillFile {
  const format = formatOf(source, currency);
  return format === null ? file : { ...file, bill: format };
}

function formatOf(source: CostSource, currency: string): BillFormat | null {
  switch (source.kind) {
    case 'aws_cur':
    case 'azure_cost':
    case 'gcp_billing':
      return BILL_FORMATS[source.kind];
    case 'custom':
      return customFormat(source.options, currency);
    default:
      return null;
  }
}
