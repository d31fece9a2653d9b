import type { Day } from '../../domain/shared/calendar.ts';
import { newId } from '../engine/sql/ids.ts';
import { Versions, type By, type ListedThings } from '../engine/records/versioned-records.ts';
import type { Warehouse } from '../engine/warehouse.ts';

interface SourceBase {
  id: string;
  name: string;
  /** The files to read, or for `opencost` also the base URL of an API. */
  location: string;
  currency: string | null;
  schedule_paused: boolean;
  /** The source had no spend before this day; null: not known. */
  starts_on: Day | null;
}

/** The FOCUS column of the cost: amortised by default, invoiced by option. */
interface FocusOptions {
  cost_column: 'EffectiveCost' | 'BilledCost';
}

/**
 * Whether machines without a bill line are on a connected bill. If it is not known (`auto`), they hold back the months in which
 * a bill of their cloud is connected.
 */
interface OnBillOption {
  on_bill?: 'auto' | 'always' | 'never' | undefined;
}

/** The cluster of rows that name no cluster, and the location of its assets if they do not come from an API. */
export interface OpenCostOptions extends OnBillOption {
  cluster?: string | undefined;
  assets_location?: string | undefined;
}

/** The location of the usage by repository; `location` has the spend. */
interface AiToolsOptions {
  usage_location: string;
}

/** A source's kind and its options (docs/http.md#connect-a-cost-source). */
export type SourceKind =
  | { kind: 'focus'; options: FocusOptions }
  | { kind: 'opencost'; options: OpenCostOptions }
  | { kind: 'hosts'; options: OnBillOption }
  | { kind: 'ai_tools'; options: AiToolsOptions };

/** A source of an organisation's spend (docs/http.md#connect-a-cost-source). */
export type CostSource = SourceBase & SourceKind;

/** A cost source of one kind. */
export type CostSourceOf<Kind extends CostSource['kind']> = Extract<CostSource, { kind: Kind }>;

/** A cost source that has no id yet. */
export type NewCostSource = Omit<SourceBase, 'id'> & SourceKind;

/** The fields of a cost source that can change; options are those of its kind. */
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
  decidesAbout: (_orgId, id) => [`source ${id}`],
  // The API accepts only the options of a kind. Sources that are older than an option have its default.
  complete: (source) => {
    switch (source.kind) {
      case 'focus':
        return { ...source, options: { ...DEFAULT_FOCUS_OPTIONS, ...source.options } };
      case 'opencost':
        return { ...source, options: { ...DEFAULT_ON_BILL, ...source.options } };
      case 'hosts':
        return { ...source, options: { ...DEFAULT_ON_BILL, ...source.options } };
      case 'ai_tools':
        return source;
    }
  },
  // The audit log gets no locations, because they may hold a credential.
  auditDetail: ({ name, kind }, fields) => ({
    name,
    kind,
    set: Object.keys(fields).filter((key) => key !== 'id'),
  }),
});

const DEFAULT_FOCUS_OPTIONS: FocusOptions = { cost_column: 'EffectiveCost' };
const DEFAULT_ON_BILL: OnBillOption = { on_bill: 'auto' };

export const newCostSourceId = (): string => newId('src');

/** Stores a new cost source and returns it. */
export const createCostSource = (
  warehouse: Warehouse,
  orgId: string,
  source: NewCostSource,
  by: By,
  id: string = newCostSourceId(),
): Promise<CostSource> => COST_SOURCES.create(warehouse, orgId, { id, ...source }, by);

/** Returns the organisation's cost source, or null if it has no such source. */
export const findCostSource = (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
): Promise<CostSource | null> => COST_SOURCES.find(warehouse, orgId, sourceId);

/** Returns the cost sources after `cursor`, oldest first; without a page all of them. */
export const listCostSources = (
  warehouse: Warehouse,
  orgId: string,
  page?: ListedThings,
): Promise<CostSource[]> => COST_SOURCES.list(warehouse, orgId, page);

/**
 * Changes or deletes a cost source. Returns its new state (or its last), or null if there is no such source. The spend of a
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
