import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import type { Queries } from '../engine/session.ts';
import type { IngestRun } from './ingest-runs.ts';

/** The cost of a source in a month, before and after a run. Null: it had no load of the month. */
export interface MonthChange {
  month: Month;
  before: DecimalText | null;
  after: DecimalText | null;
}

/**
 * Returns the months whose cost some runs changed, oldest first, by run id. Runs that changed none are left out. A month has the
 * billing periods that begin in it. A month that a source no longer has stays as it was loaded, so that it does not change.
 */
export async function changesOfRuns(
  warehouse: Queries,
  orgId: string,
  runs: readonly Pick<IngestRun, 'run_id' | 'source_id'>[],
): Promise<Map<string, MonthChange[]>> {
  if (runs.length === 0) return new Map();
  const rows = await warehouse.query<{
    run_id: string;
    month: Day;
    before: DecimalText | null;
    after: DecimalText;
  }>(CHANGES_OF_RUNS, {
    org: orgId,
    runs: runs.map(({ run_id }) => run_id),
    sources: [...new Set(runs.map(({ source_id }) => source_id))],
  });
  const byRun = new Map<string, MonthChange[]>();
  for (const { run_id, month, ...cost } of rows) pushTo(byRun, run_id, { month: monthOf(month), ...cost });
  return byRun;
}

// A run that was tried again may have several loads of a period, of which the last counts.
const CHANGES_OF_RUNS = `
WITH run_loads AS (
  SELECT source_id, run_id, billing_period, max(load_id) AS load_id, arg_max(cost_total, load_id) AS cost
  FROM loads WHERE org_id = $org AND list_contains($sources, source_id) GROUP BY ALL),
moves AS (
  SELECT source_id, run_id, CAST(date_trunc('month', billing_period) AS DATE) AS month, load_id,
    cost - COALESCE(lag(cost) OVER (PARTITION BY source_id, billing_period ORDER BY load_id), 0) AS move
  FROM run_loads),
run_months AS (
  SELECT source_id, run_id, month, max(load_id) AS load_id, sum(move) AS move FROM moves GROUP BY ALL),
months AS (
  SELECT *, sum(move) OVER so_far AS after, row_number() OVER so_far = 1 AS is_first
  FROM run_months WINDOW so_far AS (PARTITION BY source_id, month ORDER BY load_id))
SELECT run_id, month, CASE WHEN NOT is_first THEN after - move END AS before, after
FROM months WHERE list_contains($runs, run_id) AND (is_first OR move <> 0) ORDER BY run_id, month`;
