import type { ExportKind } from '../../domain/exports/export-kind.ts';
import { billsExport } from './bills-export.ts';
import type { ExportRequest } from './export-request.ts';
import type { ExportRows } from './export-rows.ts';
import { monthsExport } from './months-export.ts';
import { spendExport } from './spend-export.ts';
import { valuesExport } from './values-export.ts';

const EXPORTS: Record<ExportKind, (request: ExportRequest) => ExportRows | Promise<ExportRows>> = {
  months: monthsExport,
  bills: billsExport,
  spend: spendExport,
  values: valuesExport,
};

/** Brings up to date what an export reads, and returns its rows. Without the request's `revenue` it has no row of revenue. */
export const exportRows = (kind: ExportKind, request: ExportRequest): ExportRows | Promise<ExportRows> =>
  EXPORTS[kind](request);
