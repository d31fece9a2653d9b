import { dayOf, type Month } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import type { Session } from '../../engine/session.ts';
import type { Parameters } from '../../engine/sql/parameters.ts';
import type { FeedCounts } from '../feeds/read-feed.ts';
import type { ReadingScope } from '../feeds/wanted-months.ts';

/** The source of a load, the months that it may touch, and its time. */
export interface LoadScope extends ReadingScope {
  orgId: string;
  sourceId: string;
  runId: string;
  /** Whether days that an earlier load had, and the source no longer has, may go. */
  acceptShrink: boolean;
}

/** A load in progress. */
export interface Load extends LoadScope {
  loadId: string;
}

/** A load whose rows are stored. Nobody sees them before the load is published (publish-load.ts). */
export interface StagedLoad {
  load: Load;
  counts: FeedCounts;
  /** How many rows the reading counted as stored. */
  rowsStored: number;
  periods: Periods;
  /** The paths or URLs of the files that were read; absent if the rows came without files. */
  readFrom?: readonly string[];
  notes: string[];
}

/** The SQL that groups the days in `load_days` into billing periods. */
export interface Periods {
  billingPeriod: string;
  costColumn: string;
  /** The last day that the source has brought. */
  broughtThrough: string;
  /** Selects the days, with their billing period, of which every file was written before they ended. */
  cutDays: string;
}

/** The data files of a run. */
export interface FileCounts {
  filesRead: number;
  /** Those whose rows an earlier run has loaded. */
  filesUnchanged: number;
  bytesRead: number;
}

export interface LoadResult extends FeedCounts {
  /** The months whose days the load holds, oldest first. */
  months: Month[];
  costTotal: DecimalText;
  notes: string[];
}

/** The result of a run that had nothing to read. */
export const NOTHING_LOADED: LoadResult = {
  months: [],
  costTotal: '0',
  rowsRead: 0,
  rowsRejected: 0,
  rowsLeftOut: 0,
  rejectedSamples: [],
  notes: [],
};

/** Begins a load. Its id sorts after all earlier loads of the source, because the newest reading is the current one. */
export async function beginLoad<Scope extends LoadScope>(
  session: Session,
  scope: Scope,
): Promise<Scope & Load> {
  const [newest] = await session.query<{ load_id: string | null }>(
    'SELECT max(load_id) AS load_id FROM loads WHERE org_id = $org AND source_id = $source',
    { org: scope.orgId, source: scope.sourceId },
  );
  return { ...scope, loadId: idAfter(newest?.load_id ?? null) };
}

export type LoadIds = Pick<Load, 'orgId' | 'sourceId' | 'loadId'>;

/** Returns the parameters that name a load: `$org`, `$source` and `$load`. */
export const idsOf = ({ orgId, sourceId, loadId }: LoadIds) => ({
  org: orgId,
  source: sourceId,
  load: loadId,
});

/** Stores rows of a load in a table of the warehouse. `select` has all columns but the ids of the load. */
export const storeRows = (
  session: Session,
  load: Load,
  table: string,
  select: string,
  parameters: Parameters = {},
): Promise<number> =>
  session.run(
    `INSERT INTO ${table} BY NAME
     SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, load_rows.* FROM (${select}) AS load_rows`,
    { ...parameters, ...idsOf(load) },
  );

/**
 * Stores rows of days that later loads may keep (carry-over.ts). Their `is_whole` says whether their day had ended when this load
 * read them, and before their file was written.
 */
export const storeDayRows = (session: Session, load: Load, table: string, select: string): Promise<number> =>
  storeRows(
    session,
    load,
    table,
    `SELECT * REPLACE (is_whole AND day < $today::DATE AS is_whole) FROM (${select})`,
    { today: dayOf(load.now) },
  );
