import { monthOf, type Day, type Month } from '../domain/calendar.ts';
import { conflict } from '../domain/errors.ts';
import { sealBills } from './bill-sealing.ts';
import { idAfter } from './ids.ts';
import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/** How a value came in (contract §3, Values). */
export type ValueSource = 'hand' | 'csv' | 'api' | 'warehouse' | 'payments';

/** Who changed a value. */
export interface ChangedBy {
  type: 'key' | 'import';
  id: string;
  name: string;
}

/** What all rows of one change tell beside their values. */
export interface Change {
  source: ValueSource;
  by: ChangedBy;
  now: Date;
}

/** What a change did; `months` are those whose values changed, oldest first. */
export interface ChangeResult {
  created: number;
  replaced: number;
  removed: number;
  unchanged: number;
  months: Month[];
}

/**
 * Changes values of one metric, all or none; the one way in for every source. `stage` fills the temporary table
 * `staged_values (period, label, value)` with at most one row for each period and label: a value to store, or null to
 * remove it; rows whose period is null are skipped. What is stored already is no change and leaves no trace (design §2).
 * Each change is one row in the log; all of one call share a change id that sorts after everything they replace.
 * Bills that are split by the metric are sealed anew. Throws a conflict when the metric's label key was changed since the caller read it.
 * `signal` stops it before it is stored: the statement that runs is interrupted, and the call fails.
 */
export const changeValues = async (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  stage: (session: Session) => Promise<void>,
  change: Change,
  signal?: AbortSignal,
): Promise<ChangeResult> => {
  const { splits, ...result } = await warehouse.exclusive(valuesOf(metricId), () =>
    warehouse.session(async (session) => {
      const interrupt = (): void => {
        session.interrupt();
      };
      signal?.throwIfAborted();
      signal?.addEventListener('abort', interrupt);
      try {
        await stage(session);
        return await session.transaction(async () => {
          const stored = await storeStaged(session, orgId, metricId, change);
          // Between two statements nothing runs that could be interrupted.
          signal?.throwIfAborted();
          return stored;
        });
      } finally {
        signal?.removeEventListener('abort', interrupt);
        await session.run(`DROP TABLE IF EXISTS ${STAGED}`);
        await session.run(`DROP TABLE IF EXISTS ${CHANGED}`);
      }
    }),
  );
  if (splits && result.months.length > 0) await sealBills(warehouse, orgId, change.now);
  return result;
};

/** Under this name the values of a metric change, and are locked, one after the other. */
export const valuesOf = (metricId: string): string => `values ${metricId}`;

/** Where values wait to be compared with what is stored. */
export const STAGED = 'temp.main.staged_values';
const CHANGED = 'temp.main.changed_values';

const storeStaged = async (
  session: Session,
  orgId: string,
  metricId: string,
  change: Change,
): Promise<ChangeResult & { splits: boolean }> => {
  const metric = { org: orgId, metric: metricId };
  await session.run(COMPARE, metric);
  const [summary] = await session.query<Summary>(SUMMARISE, metric);
  if (summary === undefined) throw new Error('the comparison of staged values answered no row');
  if (!summary.labels_fit) throw conflict('the label key of the metric was changed meanwhile: send it again');
  const created = Number(summary.created);
  const replaced = Number(summary.replaced);
  const removed = Number(summary.removed);
  if (created + replaced + removed > 0) {
    await session.run(INSERT_CHANGED, {
      ...metric,
      change: idAfter(summary.newest),
      source: change.source,
      by_type: change.by.type,
      by_id: change.by.id,
      by_name: change.by.name,
      now: change.now.toISOString(),
    });
  }
  const unchanged = Number(summary.staged) - created - replaced - removed;
  const months = (summary.months ?? []).map(monthOf);
  return { created, replaced, removed, unchanged, months, splits: summary.splits };
};

interface Summary {
  newest: string | null;
  staged: string;
  created: string;
  replaced: string;
  removed: string;
  months: Day[] | null;
  labels_fit: boolean;
  /** Whether bills are split by the metric. */
  splits: boolean;
}

const COMPARE = `
CREATE OR REPLACE TEMP TABLE changed_values AS
WITH staged AS (SELECT period, label, value FROM ${STAGED} WHERE period IS NOT NULL),
current_values AS (
  SELECT period, label, arg_max_null(value, change_id) AS value, max(change_id) AS change_id
  FROM metric_value_changes
  WHERE org_id = $org AND metric_id = $metric
    AND period BETWEEN (SELECT min(period) FROM staged) AND (SELECT max(period) FROM staged)
  GROUP BY ALL)
SELECT period, label, staged.value, current_values.value AS before, current_values.change_id
FROM staged LEFT JOIN current_values USING (period, label)
WHERE current_values.value IS DISTINCT FROM staged.value`;

const SUMMARISE = `
SELECT max(change_id) AS newest, (SELECT count(period) FROM ${STAGED}) AS staged,
  count_if(before IS NULL)::BIGINT AS created,
  count_if(before IS NOT NULL AND value IS NOT NULL)::BIGINT AS replaced,
  count_if(value IS NULL)::BIGINT AS removed,
  list_sort(list(DISTINCT CAST(date_trunc('month', period) AS DATE))) AS months,
  COALESCE(bool_and((label <> '') = (SELECT label_key IS NOT NULL FROM metrics WHERE org_id = $org AND metric_id = $metric)), true)
    AS labels_fit,
  EXISTS (FROM shared_costs WHERE org_id = $org AND (split->>'$.metric_id') = $metric)
    OR EXISTS (FROM bill_bases WHERE org_id = $org AND list_contains(metric_ids, $metric)) AS splits
FROM ${CHANGED}`;

const INSERT_CHANGED = `
INSERT INTO metric_value_changes BY NAME
SELECT $org AS org_id, $metric AS metric_id, $change::UUID AS change_id, period, label, value,
  $source AS source, $by_type AS changed_by_type, $by_id AS changed_by_id, $by_name AS changed_by_name,
  $now::TIMESTAMP AS changed_at
FROM ${CHANGED}`;
