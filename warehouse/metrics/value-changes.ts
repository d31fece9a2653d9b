import type { ValueActor } from '../../domain/organisations/actor.ts';
import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { conflict } from '../../domain/shared/errors.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** How a value arrived (docs/http.md#send-values). */
export type ValueSource = 'hand' | 'csv' | 'api' | 'warehouse' | 'payments';

/** What all rows of one change share. */
export interface Change {
  source: ValueSource;
  by: ValueActor;
  now: Date;
}

/** Returns what rows of a change store of its author, as parameters. */
export const storedBy = ({ source, by, now }: Change) => ({
  source,
  by_type: by.type,
  by_id: by.id,
  by_name: by.name,
  now: now.toISOString(),
});

export const LABEL_KEY_CHANGED = 'the label key of the metric was changed meanwhile: send it again';

/** The result of a change. `months` are those whose values changed, oldest first. */
export interface ChangeResult {
  created: number;
  replaced: number;
  removed: number;
  unchanged: number;
  months: Month[];
}

/**
 * Applies staged changes to the values of one metric, all or none; `storeGiven` does it for values in memory. `stage` provides
 * at most one row (period, label, value) for each period and label: a value to store, or null to remove it. Rows without a
 * period are skipped. A value that is stored already is no change and leaves no trace (docs/design.md#rows-are-only-inserted).
 * Each change is one row in the log. All rows of one call share a change id, which sorts after everything that they replace.
 * Throws a conflict if the metric's label key has changed since the caller read it. `signal` stops the change before it is
 * stored: it interrupts the running statement, and the call fails. What follows from a change does not hold it up: bills that
 * are split by the metric are sealed again by the next read of bills, or by the evaluation of events.
 */
export const changeValues = async (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  stage: (session: Session) => Promise<Staged>,
  change: Change,
  signal?: AbortSignal,
): Promise<ChangeResult> =>
  warehouse.decideBy([valuesLock(metricId)], (confirm) =>
    warehouse.session(async (session) => {
      try {
        const staged = await stage(session);
        return await session.transaction(async () => {
          const stored = await storeStaged(session, staged, orgId, metricId, change);
          // An interruption between two statements has no effect.
          signal?.throwIfAborted();
          return stored;
        }, confirm);
      } finally {
        for (const table of [STAGED_TABLE, CHANGED]) await session.run(`DROP TABLE IF EXISTS ${table}`);
      }
    }, signal),
  );

/** The lock under which the values of a metric change and its months are locked. */
export const valuesLock = (metricId: string): string => `values ${metricId}`;

/** Values to be compared with the stored ones. */
export interface Staged {
  /** The relation (period, label, value, line). It is read several times. Each row has its own line. */
  relation: string;
  /** In how many parts they are compared, because DuckDB holds all labels of a part in memory. */
  parts: number;
}

/** The temporary table for values that fit into memory. */
export const STAGED_TABLE = 'temp.main.staged_values';
const CHANGED = 'temp.main.changed_values';

async function storeStaged(
  session: Session,
  { relation, parts }: Staged,
  orgId: string,
  metricId: string,
  change: Change,
): Promise<ChangeResult> {
  const metric = { org: orgId, metric: metricId };
  const { staged, first, last } = await extentOf(session, relation);
  for (let part = 0; part < parts; part += 1)
    await session.run(`${part === 0 ? CREATE_CHANGED : INSERT_CHANGED} ${compare(relation)}`, {
      ...metric,
      first,
      last,
      part,
      parts,
    });
  const compared = await session.query<Compared>(`SELECT * EXCLUDE (lines) FROM ${CHANGED}`);
  if (!(await labelsFit(session, metric, compared))) throw conflict(LABEL_KEY_CHANGED);
  const total = (counts: (part: Compared) => string): number =>
    compared.reduce((sum, part) => sum + Number(counts(part)), 0);
  const created = total((part) => part.created);
  const replaced = total((part) => part.replaced);
  const removed = total((part) => part.removed);
  if (created + replaced + removed > 0) {
    await session.run(insertChanged(relation), {
      ...metric,
      change: idAfter(newestOf(compared)),
      ...storedBy(change),
    });
  }
  const unchanged = Number(staged) - created - replaced - removed;
  const months = [...new Set(compared.flatMap((part) => part.months ?? []).map(monthOf))].sort();
  return { created, replaced, removed, unchanged, months };
}

async function extentOf(session: Session, relation: string): Promise<Extent> {
  const [extent] = await session.query<Extent>(
    `SELECT count(period) AS staged, min(period) AS first, max(period) AS last FROM ${relation}`,
  );
  if (extent === undefined) throw new Error('the query of the staged values returned no row');
  return extent;
}

interface Extent {
  staged: string;
  first: Day | null;
  last: Day | null;
}

/** The comparison of a part. Nothing is known of its months and labels if nothing in it has changed. */
interface Compared {
  months: Day[] | null;
  some_have_labels: boolean | null;
  all_have_labels: boolean | null;
  created: string;
  replaced: string;
  removed: string;
  newest: string | null;
}

const newestOf = (compared: readonly Compared[]): string | null =>
  compared
    .flatMap(({ newest }) => newest ?? [])
    .sort()
    .at(-1) ?? null;

/** Whether the changed values have labels exactly if the metric has a label key. */
async function labelsFit(
  session: Session,
  metric: { org: string; metric: string },
  compared: readonly Compared[],
): Promise<boolean> {
  const [newest] = await session.query<{ has_labels: boolean }>(
    `SELECT label_key IS NOT NULL AS has_labels FROM metric_versions WHERE org_id = $org AND metric_id = $metric
     ORDER BY version_id DESC LIMIT 1`,
    metric,
  );
  const fits = newest?.has_labels === true ? 'all_have_labels' : 'some_have_labels';
  return compared.every((part) => (part[fits] ?? newest?.has_labels) === newest?.has_labels);
}

/** A row holds the changed lines of a part and their counts. The texts stay where they are staged. */
const CREATE_CHANGED = 'CREATE OR REPLACE TEMP TABLE changed_values AS';
const INSERT_CHANGED = `INSERT INTO ${CHANGED} BY NAME`;

const compare = (relation: string): string => `
WITH staged AS (
  SELECT period, label, value, line FROM ${relation}
  WHERE period IS NOT NULL AND hash(period, label) % $parts::UBIGINT = $part::UBIGINT),
current_values AS (
  SELECT period, label, arg_max_null(value, change_id) AS value, max(change_id) AS change_id
  FROM metric_value_changes
  WHERE org_id = $org AND metric_id = $metric
    AND period BETWEEN $first::DATE AND $last::DATE AND hash(period, label) % $parts::UBIGINT = $part::UBIGINT
  GROUP BY ALL)
SELECT list(line) AS lines,
  map_keys(histogram(CAST(date_trunc('month', period) AS DATE))) AS months,
  bool_or(label <> '') AS some_have_labels, bool_and(label <> '') AS all_have_labels,
  count_if(current_values.value IS NULL) AS created,
  count_if(current_values.value IS NOT NULL AND staged.value IS NOT NULL) AS replaced,
  count_if(staged.value IS NULL) AS removed,
  max(current_values.change_id) AS newest
FROM staged LEFT JOIN current_values USING (period, label)
WHERE current_values.value IS DISTINCT FROM staged.value`;

/**
 * With a plain IN, DuckDB would join by holding the values instead of the lines, because it expects fewer of them. One thread
 * computes the window, so that one row group is filled at a time.
 */
const insertChanged = (relation: string): string => `
INSERT INTO metric_value_changes BY NAME
SELECT $org AS org_id, $metric AS metric_id, $change::UUID AS change_id, period, label, value,
  $source AS source, $by_type AS changed_by_type, $by_id AS changed_by_id, $by_name AS changed_by_name,
  $now::TIMESTAMP AS changed_at
FROM (FROM ${relation} WHERE (line IN (SELECT unnest(lines) FROM ${CHANGED})) IS NOT FALSE)
QUALIFY row_number() OVER () > 0`;
