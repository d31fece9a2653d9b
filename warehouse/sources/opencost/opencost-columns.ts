import type { ExportFile } from '../feeds/export-files.ts';
import { missingTabularColumns, type TabularColumns } from '../feeds/tabular-rows.ts';

/** The columns that are read from OpenCost's exported CSV, one row per container and day. */
export const ALLOCATION_COLUMNS: TabularColumns = {
  day: { names: ['Date', 'day'], holds: 'day', required: 'value' },
  cluster: { names: ['Cluster'], holds: 'text', required: 'no' },
  namespace: { names: ['Namespace'], holds: 'text', required: 'column' },
  controller_kind: { names: ['ControllerKind'], holds: 'text', required: 'column' },
  controller: { names: ['ControllerName', 'Controller'], holds: 'text', required: 'column' },
  pod: { names: ['Pod'], holds: 'text', required: 'no' },
  container: { names: ['Container'], holds: 'text', required: 'no' },
  name: { names: ['Name'], holds: 'text', required: 'no' },
  total: { names: ['TotalCost'], holds: 'decimal', required: 'value' },
  shared: { names: ['SharedCost'], holds: 'decimal', required: 'no' },
  external: { names: ['ExternalCost'], holds: 'decimal', required: 'no' },
};

/** The columns that are read from a file of cluster assets, one row per asset and day. */
export const ASSET_COLUMNS: TabularColumns = {
  day: { names: ['day', 'date'], holds: 'day', required: 'value' },
  cluster: { names: ['cluster'], holds: 'text', required: 'no' },
  kind: { names: ['kind', 'type'], holds: 'text', required: 'value' },
  provider_id: { names: ['provider_id', 'providerID'], holds: 'text', required: 'column' },
  project: { names: ['project'], holds: 'text', required: 'no' },
  cost: { names: ['cost', 'totalCost'], holds: 'decimal', required: 'value' },
};

export const missingAllocationColumns = (file: ExportFile): string[] =>
  missingTabularColumns(file, ALLOCATION_COLUMNS);

export const missingAssetColumns = (file: ExportFile): string[] => missingTabularColumns(file, ASSET_COLUMNS);
