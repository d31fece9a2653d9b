import type { ComputedSession } from '../spend/compute-spend.ts';
import { firstDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { coverageOf, type Coverage, type SourceMonth } from '../../domain/sources/coverage.ts';
import type { MetricKind } from '../../domain/metrics/metric.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { factsFrom } from '../../domain/months/shown-months.ts';
import type { MonthFacts } from '../../domain/months/month-facts.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { billStatus, billWaits } from '../../domain/teams/bill-status.ts';
import { monthBills } from '../teams/bills/bills.ts';
import { sourceMonths } from '../sources/coverage.ts';
import { instant } from '../engine/sql/instant.ts';
import { PICK_KIND } from '../spend/known-days.ts';
import type { Session } from '../engine/session.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';
import { openRevenue, type Revenue } from './month-revenue.ts';
import { putSameDays } from './same-days.ts';
import { COLLECTED_SINCE, USES_CHOICE } from '../spend/picks/spend-choices.ts';

/** A row of {@link MONTH_FACTS}: one month of one metric. */
interface Row {
  metric_id: string;
  kind: MetricKind;
  team_id: string | null;
  month: Day;
  cost: DecimalText;
  uncollected: string[] | null;
  value_sum: DecimalText | null;
  value_periods: string | null;
  value_changes: string | null;
  settled: boolean;
  version: string | null;
  lock_id: string | null;
  locked_sealed: string | null;
  locked_cost: DecimalText | null;
  locked_value: DecimalText | null;
  locked_unit_cost: DecimalText | null;
  locked_value_changes: string | null;
  locked_incomplete: boolean;
  locked_at: string | null;
  locked_by_id: string | null;
  locked_by_name: string | null;
}

/**
 * Returns the facts of each metric's months up to `newest`, oldest first: `count` months, and the one before them for their
 * change. Derives them at each read from published loads, the log of values and the locks; with team scope also from the
 * bills, so that due bills must have been sealed (bill-sealing.ts). With `today`, the running month has its same days. Throws
 * for a revenue metric without `vault`.
 */
export const monthFacts = async (
  session: ComputedSession,
  orgId: string,
  metricIds: readonly string[],
  {
    today,
    vault,
    ...months
  }: { newest: Month; count: number; today?: Day; vault?: RevenueVault | undefined },
): Promise<Map<string, MonthFacts[]>> => {
  const first = factsFrom(months.newest, months.count);
  const parameters = { org: orgId, metrics: metricIds, first, last: firstDay(months.newest) };
  const sealed = await session.query<Row>(MONTH_FACTS, parameters);
  const revenueIds = [
    ...new Set(sealed.flatMap(({ kind, metric_id }) => (kind === 'revenue' ? [metric_id] : []))),
  ];
  const revenue = await openRevenue(session, orgId, revenueIds, first, vault);
  const rows = sealed.map((row) => (row.kind === 'revenue' ? openedRow(row, revenue, vault) : row));
  const kinds = await pickedKinds(session, orgId, metricIds);
  const sources = await sourceMonths(session, orgId, { first: monthOf(first), last: months.newest });
  const covered = new Map<string, Coverage>();
  const byMetric = new Map<string, MonthFacts[]>(metricIds.map((id) => [id, []]));
  for (const row of rows) {
    const picked = kinds.get(row.metric_id) ?? null;
    const scope = `${row.month} ${picked?.map(({ kind }) => kind).join() ?? ''}`;
    const coverage = covered.get(scope) ?? coverageOfRow(row, sources, picked);
    covered.set(scope, coverage);
    byMetric.get(row.metric_id)?.push(toFacts(row, coverage, picked));
  }
  await putTeamCosts(session, orgId, months, byMetric, rows, sources);
  if (today !== undefined && monthOf(today) === months.newest)
    await putSameDays(session, orgId, byMetric, today, revenue);
  return byMetric;
};

/** Returns the row of a revenue metric with its opened numbers. */
const openedRow = (row: Row, revenue: Revenue, vault: RevenueVault | undefined): Row => {
  const value_sum = revenue.sumOfMonth(row.metric_id, monthOf(row.month));
  const { metric_id, month, lock_id, locked_sealed } = row;
  if (vault === undefined || lock_id === null || locked_sealed === null) return { ...row, value_sum };
  const { cost, value, unit_cost } = vault.openLock({ metric_id, month, lock_id }, locked_sealed);
  return { ...row, value_sum, locked_cost: cost, locked_value: value, locked_unit_cost: unit_cost };
};

const coverageOfRow = (
  { month: day }: Row,
  sources: ReadonlyMap<Month, readonly SourceMonth[]>,
  picked: readonly PickedKind[] | null,
): Coverage => {
  const month = monthOf(day);
  return coverageOf(month, sources.get(month) ?? [], picked?.map(({ kind }) => kind) ?? null);
};

/** A kind of source that a metric picks from. */
interface PickedKind {
  metric_id: string;
  kind: string;
  /** The day from which any of its picks of that kind has spend; null if a pick always has. */
  collected_from: Day | null;
}

/** Returns the kinds of sources that each metric of specific spend picks from, in order. */
const pickedKinds = async (
  session: Session,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, PickedKind[]>> => {
  const rows = await session.query<PickedKind>(PICKED_KINDS, { org: orgId, metrics: metricIds });
  const byMetric = new Map<string, PickedKind[]>();
  for (const row of rows) pushTo(byMetric, row.metric_id, row);
  return byMetric;
};

// A kind always has spend if one of its picks needs no tag key or split.
const PICKED_KINDS = `
SELECT user_id AS metric_id, ${PICK_KIND} AS kind,
  CASE WHEN bool_and(choices.first_day IS NOT NULL) THEN min(choices.first_day) END AS collected_from
FROM spend_picks AS picks LEFT JOIN spend_choices AS choices ON ${USES_CHOICE}
WHERE picks.org_id = $org AND user_type = 'metric' AND list_contains($metrics, user_id)
GROUP BY ALL ORDER BY metric_id, kind`;

/** Sets the cost of metrics with team scope to the team's bill. Their month has settled once the bill has sealed. */
const putTeamCosts = async (
  session: ComputedSession,
  orgId: string,
  months: { newest: Month; count: number },
  byMetric: Map<string, MonthFacts[]>,
  rows: readonly Row[],
  sources: ReadonlyMap<Month, readonly SourceMonth[]>,
): Promise<void> => {
  const teams = new Map(
    rows.flatMap(({ metric_id, team_id }) => (team_id === null ? [] : [[metric_id, team_id]])),
  );
  if (teams.size === 0) return;
  const bills = await monthBills(session, orgId, months, sources);
  for (const [metricId, teamId] of teams) {
    const facts = byMetric.get(metricId) ?? [];
    for (const ofMonth of bills) {
      const found = facts.find(({ month }) => month === ofMonth.month);
      if (found === undefined) continue;
      const bill = ofMonth.bills?.get(teamId);
      found.cost = bill === undefined ? null : fullyLoaded(bill);
      const own = { ...ofMonth, hasBill: bill !== undefined };
      found.settled = billStatus(own) === 'sealed';
      found.uncollected = ofMonth.uncollected[teamId] ?? [];
      found.waitingFor = billWaits(own);
    }
  }
};

/** Whether the cost of a month is known: some source has delivered a day on which the picks' tags and splits are collected. */
const isKnown = ({ lastKnown }: Coverage, picked: readonly PickedKind[] | null): boolean =>
  picked === null
    ? lastKnown.size > 0
    : picked.some(({ kind, collected_from }) => {
        const through = lastKnown.get(kind);
        return through !== undefined && (collected_from === null || collected_from <= through);
      });

const toFacts = (row: Row, coverage: Coverage, picked: readonly PickedKind[] | null): MonthFacts => ({
  month: monthOf(row.month),
  cost: isKnown(coverage, picked) ? row.cost : null,
  team: row.team_id !== null,
  coverage,
  uncollected: row.uncollected ?? [],
  valueSum: row.value_sum,
  valuePeriods: Number(row.value_periods ?? 0),
  valueChanges: Number(row.value_changes ?? 0),
  settled: row.settled,
  lock:
    row.version === null || row.locked_cost === null || row.locked_value === null || row.locked_at === null
      ? null
      : {
          version: Number(row.version),
          cost: row.locked_cost,
          value: row.locked_value,
          unitCost: row.locked_unit_cost,
          lockedAt: instant(row.locked_at),
          lockedBy: { type: 'key', id: row.locked_by_id ?? '', name: row.locked_by_name ?? '' },
          valueChanges: Number(row.locked_value_changes ?? 0),
          isIncomplete: row.locked_incomplete,
        },
});

/** Metrics with the same scope share the cost of a month. A month without spend costs 0. */
export const MONTH_FACTS = `
WITH months AS (
  SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 MONTH)) AS DATE) AS month),
wanted AS (
  SELECT metric_id, kind, scope->>'$.team_id' AS team_id, md5(scope) AS scope_id
  FROM metrics WHERE org_id = $org AND list_contains($metrics, metric_id)),
computations AS (SELECT month, computation_id FROM current_computations WHERE org_id = $org),
costs AS (
  SELECT scope_id, month, cost FROM scope_costs JOIN computations USING (month, computation_id) WHERE org_id = $org),
-- Days before the first use of a tag key or split have no spend by it, for good (spec §1, rule 6).
uncollected AS (
  SELECT metric_id, month, list(DISTINCT ${COLLECTED_SINCE}) AS uncollected
  FROM (SELECT metric_id, spend_picks.* FROM spend_picks JOIN wanted ON user_id = metric_id WHERE org_id = $org) AS picks
  JOIN spend_choices AS choices ON ${USES_CHOICE} JOIN months ON first_day > month GROUP BY ALL),
value_months AS (
  SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, sum(value) AS value_sum,
    count(DISTINCT period) AS value_periods
  FROM metric_values WHERE org_id = $org AND list_contains($metrics, metric_id) AND period >= $first::DATE
  GROUP BY ALL),
changed_months AS (
  SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, count(*) AS value_changes
  FROM metric_value_changes WHERE org_id = $org AND list_contains($metrics, metric_id) AND period >= $first::DATE
  GROUP BY ALL),
locked AS (
  SELECT * FROM month_versions WHERE org_id = $org AND list_contains($metrics, metric_id)
  QUALIFY row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY version DESC) = 1)
SELECT metric_id, kind, team_id, month, COALESCE(costs.cost, 0::DECIMAL(38,15)) AS cost, uncollected,
  value_sum, value_periods, changed_months.value_changes,
  EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = months.month) AS settled,
  locked.version, locked.lock_id, locked.sealed_numbers AS locked_sealed, locked.cost AS locked_cost, locked.value AS locked_value, locked.unit_cost AS locked_unit_cost,
  locked.value_changes AS locked_value_changes, locked.missing IS NOT NULL AS locked_incomplete, locked.locked_at, locked.locked_by_id, locked.locked_by_name
FROM wanted
CROSS JOIN months
LEFT JOIN costs USING (scope_id, month)
LEFT JOIN uncollected USING (metric_id, month)
LEFT JOIN value_months USING (metric_id, month)
LEFT JOIN changed_months USING (metric_id, month)
LEFT JOIN locked USING (metric_id, month)
ORDER BY metric_id, month`;
