import type { Day } from '../../domain/shared/calendar.ts';
import { KIND_OPTIONS, type OptionsOf } from '../../domain/sources/kind-options.ts';
import type { Kind } from '../../domain/sources/kinds.ts';
import { newId } from '../engine/sql/ids.ts';
import { Versions, type By, type ReadOnly } from '../engine/records/versioned-records.ts';
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

type KindAndOptions<K extends Kind> = { [Of in K]: { kind: Of; options: OptionsOf<Of> } }[K];

/** A source of an organisation's spend, of some kinds (docs/http.md#connect-a-cost-source). */
export type CostSourceOf<K extends Kind> = SourceBase & KindAndOptions<K>;

/** A source of an organisation's spend, of any kind. */
export type CostSource = CostSourceOf<Kind>;

export type NewCostSource = Omit<SourceBase, 'id'> & KindAndOptions<Kind>;

/** The fields of a cost source that can change; options are those of its kind. */
export type CostSourceChanges = Partial<Omit<SourceBase, 'id'>> & { options?: OptionsOf<Kind> };

const STORED = new Versions<CostSource>({
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
  locks: (_orgId, id) => [`source ${id}`],
  // A change replaces the options as a whole, and may leave out what has a default.
  complete: (source) =>
    ({ ...source, options: { ...KIND_OPTIONS[source.kind].defaults, ...source.options } }) as CostSource,
  // The audit log gets no locations, because they may hold a credential.
  auditDetail: ({ name, kind }, fields) => ({
    name,
    kind,
    set: Object.keys(fields).filter((key) => key !== 'id'),
  }),
});

export const COST_SOURCES: ReadOnly<CostSource> = STORED;

export const createCostSource = (
  warehouse: Warehouse,
  orgId: string,
  source: NewCostSource,
  by: By,
  id: string = newId('src'),
): Promise<CostSource> => STORED.create(warehouse, orgId, { id, ...source }, by);

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
  STORED.change(warehouse, orgId, sourceId, changes as Partial<CostSource> | 'delete', by);
