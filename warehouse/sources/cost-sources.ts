import type { Day } from '../../domain/shared/calendar.ts';
import { newId } from '../engine/sql/ids.ts';
import { Versions, type By } from '../engine/records/versioned-records.ts';
import type { Warehouse } from '../engine/warehouse.ts';

interface SourceBase {
  id: string;
  name: string;
  /** What it is read from: files, or for `opencost` also the base URL of an API. */
  location: string;
  currency: string | null;
  schedule_paused: boolean;
  /** The source had no spend before this day; null: not known. */
  starts_on: Day | null;
}

/** Which FOCUS column is the cost: amortised by default, invoiced by option. */
interface FocusOptions {
  cost_column: 'EffectiveCost' | 'BilledCost';
}

/** The cluster of rows that name none, and where the cluster's assets are read from if not from its API. */
export interface OpenCostOptions {
  cluster?: string | undefined;
  assets_location?: string | undefined;
}

/** Where the usage by repository is read from; `location` is the spend. */
interface AiToolsOptions {
  usage_location: string;
}

/** A source's kind and the options that go with it (contract §3, Cost source). */
export type SourceKind =
  | { kind: 'focus'; options: FocusOptions }
  | { kind: 'opencost'; options: OpenCostOptions }
  | { kind: 'hosts'; options: Record<string, never> }
  | { kind: 'ai_tools'; options: AiToolsOptions };

/** Where an organisation's spend comes from (contract §3, Cost source). */
export type CostSource = SourceBase & SourceKind;

/** A cost source of one kind. */
export type CostSourceOf<Kind extends CostSource['kind']> = Extract<CostSource, { kind: Kind }>;

/** A cost source that has no id yet. */
export type NewCostSource = Omit<SourceBase, 'id'> & SourceKind;

/** What can change about a cost source; options are those of its kind. */
export type CostSourceChanges = Partial<Omit<SourceBase, 'id'>> & { options?: SourceKind['options'] };

const COST_SOURCES = new Versions<CostSource>({
  name: 'cost_source',
  view: 'cost_sources',
  idColumn: 'source_id',
  columns: {
    name: 'VARCHAR',
    kind: 'VARCHAR',
    location: 'VARCHAR',
    currency: 'VARCHAR',
    options: 'JSON',
    schedule_paused: 'BOOLEAN',
    starts_on: 'DATE',
  },
  exclusive: (_orgId, id) => [`source ${id}`],
  // The API lets only options in that go with the kind; a source made before an option existed has its default.
  complete: (source) =>
    source.kind === 'focus'
      ? { ...source, options: { ...DEFAULT_FOCUS_OPTIONS, ...source.options } }
      : source,
  // Locations may hold a credential.
  told: ({ name, kind }, fields) => ({ name, kind, set: Object.keys(fields).filter((key) => key !== 'id') }),
});

const DEFAULT_FOCUS_OPTIONS: FocusOptions = { cost_column: 'EffectiveCost' };

/** A new cost source's id. */
export const newCostSourceId = (): string => newId('src');

/** Stores a new cost source and answers it. */
export const createCostSource = (
  warehouse: Warehouse,
  orgId: string,
  source: NewCostSource,
  by: By,
  id: string = newCostSourceId(),
): Promise<CostSource> => COST_SOURCES.create(warehouse, orgId, { id, ...source }, by);

/** The organisation's cost source, or null when it has no such one. */
export const findCostSource = (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
): Promise<CostSource | null> => COST_SOURCES.find(warehouse, orgId, sourceId);

/** The cost sources after `cursor`, oldest first; all of them without a page. */
export const listCostSources = (
  warehouse: Warehouse,
  orgId: string,
  page?: { limit: number; cursor: string | null },
): Promise<CostSource[]> => COST_SOURCES.list(warehouse, orgId, page);

/**
 * Changes or deletes a cost source; answers what it now is (or last was), or null when there is none. The spend of a
 * deleted source no longer counts, except in locked months.
 */
export const updateCostSource = (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  changes: CostSourceChanges | 'delete',
  by: By,
): Promise<CostSource | null> =>
  COST_SOURCES.change(warehouse, orgId, sourceId, changes as Partial<CostSource> | 'delete', by);
