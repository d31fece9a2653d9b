import type { Month } from '../../domain/shared/calendar.ts';
import type { Metric } from '../metrics/metrics.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';
import type { Organisation } from '../organisations/organisations.ts';
import type { ComputedSpend } from '../spend/compute-spend.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** The revenue metrics of an export, and what opens their numbers. */
export interface ExportedRevenue {
  metrics: readonly Metric[];
  vault: RevenueVault;
}

/** What to export: an organisation's months from `start` to `end`, both included. */
export interface ExportRequest {
  warehouse: Warehouse;
  organisation: Organisation;
  start: Month;
  end: Month;
  now: Date;
  /** Only for callers who may see revenue, and never for a file. */
  revenue?: ExportedRevenue;
  /** Called with the spend that the export has brought up to date. */
  noteUpdates: (spend: ComputedSpend) => void;
}
