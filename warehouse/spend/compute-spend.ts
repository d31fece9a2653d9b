import { dayOf, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { storeChargesTwice } from './assets/charges-twice.ts';
import { INSERT_ASSET_DECISIONS } from './assets/asset-decisions.ts';
import { billLines, COUNTED_LINES, LOADS_OF_COMPUTATION } from './counted-spend.ts';
import {
  COVERING_TABLES,
  INSERT_BILLED_CLUSTERS,
  INSERT_COVERED_RESOURCES,
} from './assets/covered-resources.ts';
import { INSERT_DISTRIBUTED_SPEND } from './distributed-spend.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { LENDERS_ON_BILLS, NEAREST_ASSETS } from './assets/nearest-assets.ts';
import { SPEND_KEYS } from './picks/pick-key.ts';
import { INSERT_SCOPE_COSTS, SCOPE_COSTS_MISSING } from './scope-costs.ts';
import { scopeDayCostsMissing, storeScopeDayCosts } from './scope-day-costs.ts';
import { storeLeftOutDays } from './left-out-days.ts';
import { storeMissingAssets } from './assets/missing-assets.ts';
import { storeUnmatchedDoubts } from './assets/unmatched-machines.ts';
import type { Session } from '../engine/session.ts';
import { dropTemporaryTables } from '../engine/sql/temporary-tables.ts';
import type { Derived } from '../engine/states/memory.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** That an organisation's spend is up to date, on a day. */
const UP_TO_DATE: Derived<void> = {
  name: 'spend up to date',
  from: [
    'loads',
    'cost_source_versions',
    'metric_versions',
    'team_versions',
    'shared_cost_versions',
    'month_computations',
    'unit_decisions',
  ],
  bytesOf: () => 0,
};

declare const isComputed: unique symbol;

/** Marks that an organisation's spend is up to date. What reads spend asks for it; only this file gives it. */
interface Computed {
  readonly [isComputed]: true;
}

/** A session on which an organisation's spend is up to date. */
export type ComputedSession = Session & Computed;

/** The same for single statements, which any session may run. */
export type ComputedQueries = Pick<Session, 'query'> & Computed;

/** An organisation's spend after it was brought up to date. */
export interface ComputedSpend {
  /** The months that were computed, oldest first; usually none. */
  months: Month[];
  /** Lets spend be read on a session, or by single statements. */
  on: <Queries extends Pick<Session, 'query'>>(session: Queries) => Queries & Computed;
}

const computed = (months: Month[]): ComputedSpend => ({
  months,
  on: (session) => session as typeof session & Computed,
});

/** Spend as it was last computed, however old: what an upgrade's dry run compares with. */
export const STORED_SPEND: ComputedSpend = computed([]);

/**
 * Brings an organisation's counted spend up to date. It computes exactly the months whose published loads are not
 * those they were last computed from. Then it stores what every scope costs in each month, and by day in the running
 * month and the one before it (scope-day-costs.ts). Every read of spend asks for it, so that no number can be stale,
 * whoever published, deleted a source, changed a scope, or died before computing. It is one transaction, so that a
 * reader sees all of a month or nothing of it.
 */
export async function computeSpend(warehouse: Warehouse, orgId: string, now: Date): Promise<ComputedSpend> {
  const today = dayOf(now);
  let months: Month[] = [];
  await warehouse.memory.recall(await warehouse.look(), UP_TO_DATE, orgId, today, async () => {
    if (!(await warehouse.session((session) => isUpToDate(session, orgId, today))))
      months = await warehouse.decide([spendLock(orgId)], (session) => bringUpToDate(session, orgId, now));
  });
  return computed(months);
}

/** That the months of an organisation's spend are up to date, on a day. */
const MONTHS_UP_TO_DATE: Derived<void> = {
  name: 'months up to date',
  from: ['loads', 'cost_source_versions', 'month_computations', 'unit_decisions'],
  bytesOf: () => 0,
};

/**
 * Brings only the months up to date. The next read of any scope computes what scopes cost in them. So the creation of a metric
 * does not wait for it.
 */
export async function computeMonths(warehouse: Warehouse, orgId: string, now: Date): Promise<void> {
  const today = dayOf(now);
  await warehouse.memory.recall(await warehouse.look(), MONTHS_UP_TO_DATE, orgId, today, async () => {
    const stale = await warehouse.session((session) => staleMonths(session, orgId, today));
    if (stale.length > 0) await computeSpend(warehouse, orgId, now);
  });
}

const isUpToDate = async (session: Session, orgId: string, today: Day): Promise<boolean> =>
  (await staleMonths(session, orgId, today)).length === 0 &&
  !(await scopeCostsMissing(session, orgId)) &&
  !(await scopeDayCostsMissing(session, orgId, today));

/** How long a load waits in seconds. It is longer than others wait, because a load that gives up was read in vain. */
const PUBLISH_PATIENCE_S = 1_800;

/** The lock under which an organisation's spend is computed. */
const spendLock = (orgId: string): string => `spend ${orgId}`;

/**
 * Runs `publish`, which publishes loads, and computes the months that they change. Both share one transaction, so that a load
 * whose months cannot be computed is never current. If the computation throws, nothing is published.
 */
export const publishComputed = <Result>(
  warehouse: Warehouse,
  session: Session,
  { orgId, now }: { orgId: string; now: Date },
  publish: () => Promise<Result>,
): Promise<Result> =>
  warehouse.decideBy(
    [spendLock(orgId)],
    (confirm) =>
      session.transaction(async () => {
        const result = await publish();
        await bringUpToDate(session, orgId, now);
        return result;
      }, confirm),
    PUBLISH_PATIENCE_S,
  );

async function bringUpToDate(session: Session, orgId: string, now: Date): Promise<Month[]> {
  const months = await computeStaleMonths(session, orgId, now);
  // A month that borrows assets depends on the month that lends them. Borrowed days lend nothing, so that twice is enough.
  if (months.length > 0) months.push(...(await computeStaleMonths(session, orgId, now)));
  if (await scopeCostsMissing(session, orgId)) await session.run(INSERT_SCOPE_COSTS, { org: orgId });
  await storeScopeDayCosts(session, orgId, dayOf(now));
  return months.sort();
}

async function scopeCostsMissing(session: Session, orgId: string): Promise<boolean> {
  const [row] = await session.query<{ missing: boolean }>(SCOPE_COSTS_MISSING, { org: orgId });
  return row?.missing === true;
}

interface StaleMonth {
  month: Day;
  made_of: string;
}

const staleMonths = (session: Session, orgId: string, today: Day): Promise<StaleMonth[]> =>
  session.query<StaleMonth>(STALE_MONTHS, { org: orgId, today });

/** CTE with the loads, the months of their days, and what their sources say about machines without a bill line. */
const LOADED_MONTHS = `loaded_months AS (
  SELECT source_id, load_id, billing_period, last_day, on_bill,
    CAST(unnest(generate_series(date_trunc('month', first_day), date_trunc('month', last_day), INTERVAL 1 MONTH)) AS DATE) AS month
  FROM current_loads
  JOIN (SELECT source_id, options->>'$.on_bill' AS on_bill FROM cost_sources WHERE org_id = $org) AS told USING (source_id)
  WHERE org_id = $org AND first_day IS NOT NULL)`;

/**
 * The number of the counting rules. A change of what is stored about a month (its keys, what counts) takes the next number,
 * so that months of earlier versions are computed again.
 */
const COUNTING_RULES = 6;

/**
 * CTE with what people have said about units, by month and source: those that have ended within or before it, which may count no
 * more (left-out-days.ts), and those whose charges stand. Bills that follow today are sealed again after either changes.
 */
const DECIDED_UNITS = `decided AS (
  SELECT month, source_id, string_agg(concat_ws(' ', unit, CASE WHEN ended_on < last_day(month) THEN ended_on END, CASE WHEN stands THEN 'stands' END), ',' ORDER BY unit) AS told
  FROM (SELECT DISTINCT month, source_id FROM loaded_months)
  JOIN (SELECT source_id, unit, ended_on, stands FROM decided_units WHERE org_id = $org) AS decisions USING (source_id)
  WHERE ended_on < last_day(month) OR stands GROUP BY month, source_id)`;

// A month with days in the future grows each day, so that the day of the computation is part of its input. A month that
// borrowed assets is stale once the cluster's nearest known assets change, in any month. It is also stale once the cluster
// comes onto a bill, or leaves it, on the day that lends.
const STALE_MONTHS = `
WITH ${LOADED_MONTHS}, ${DECIDED_UNITS},
wanted AS (
  SELECT month, '${COUNTING_RULES}/' || md5(string_agg(
        concat_ws('/', source_id, billing_period, load_id, told, NULLIF(on_bill, 'auto')), ',' ORDER BY source_id, billing_period))
      || CASE WHEN month > $today::DATE THEN '/ahead'
        WHEN last_day(month) > $today::DATE AND max(loaded_months.last_day) > $today::DATE THEN '/' || $today ELSE '' END AS made_of
  FROM loaded_months LEFT JOIN decided USING (month, source_id) GROUP BY month),
computed AS (SELECT month, made_of FROM current_computations WHERE org_id = $org),
borrowed AS (
  SELECT month, day, cluster, asset_day, assets, lender_is_on_bill
  FROM asset_decisions JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND reason = 'borrowed'),
needs AS (SELECT DISTINCT day, cluster FROM borrowed),
${NEAREST_ASSETS},
${LENDERS_ON_BILLS},
lent_otherwise AS (
  SELECT DISTINCT month FROM borrowed JOIN nearest_assets USING (day, cluster)
  LEFT JOIN lenders_on_bills ON lenders_on_bills.cluster = borrowed.cluster AND lenders_on_bills.asset_day = borrowed.asset_day
  WHERE borrowed.asset_day IS DISTINCT FROM nearest_assets.asset_day OR borrowed.assets IS DISTINCT FROM nearest_assets.assets
    OR borrowed.lender_is_on_bill <> (lenders_on_bills.cluster IS NOT NULL))
SELECT month, COALESCE(wanted.made_of, '') AS made_of
FROM wanted FULL JOIN computed USING (month)
WHERE COALESCE(wanted.made_of, '') IS DISTINCT FROM computed.made_of OR month IN (FROM lent_otherwise)
ORDER BY month`;

async function computeStaleMonths(session: Session, orgId: string, now: Date): Promise<Month[]> {
  const today = dayOf(now);
  const stale = await staleMonths(session, orgId, today);
  const months = stale.map(({ month }) => month);
  if (months.length === 0) return [];
  const [newest] = await session.query<{ id: string | null }>(
    'SELECT max(computation_id) AS id FROM month_computations WHERE org_id = $org',
    { org: orgId },
  );
  const parameters = { org: orgId, computation: idAfter(newest?.id ?? null) };
  await session.run(INSERT_COMPUTED_LOADS, { ...parameters, months });
  await storeLeftOutDays(session, parameters);
  await dropTemporaryTables(session, TABLES);
  try {
    // Statements that only read the tables before them have no parameters.
    for (const statement of Object.values(COVERING_TABLES))
      await session.run(statement, statement.includes('$org') ? parameters : {});
    await session.run(INSERT_COVERED_RESOURCES, parameters);
    await session.run(INSERT_BILLED_CLUSTERS, parameters);
    await session.run(INSERT_ASSET_DECISIONS, parameters);
    await session.run(INSERT_DISTRIBUTED_SPEND, parameters);
    await storeChargesTwice(session, parameters);
    await storeUnmatchedDoubts(session, parameters);
    await storeMissingAssets(session, parameters);
  } finally {
    await dropTemporaryTables(session, TABLES);
  }
  await session.run(INSERT_DAILY_TOTALS, parameters);
  await session.run(INSERT_MONTH_SPEND, { ...parameters, today });
  await session.run(INSERT_COMPUTATIONS, {
    ...parameters,
    months,
    madeOf: stale.map(({ made_of }) => made_of),
    now: now.toISOString(),
  });
  return months.map(monthOf);
}

// After a failed statement the transaction is unusable. Then the next computation drops the tables.
const TABLES = Object.keys(COVERING_TABLES);

const INSERT_COMPUTED_LOADS = `
INSERT INTO computed_loads BY NAME
WITH ${LOADED_MONTHS}
SELECT $org AS org_id, month, $computation::UUID AS computation_id, load_id, billing_period
FROM loaded_months WHERE list_contains($months::DATE[], month)`;

const INSERT_COMPUTATIONS = `
INSERT INTO month_computations BY NAME
SELECT $org AS org_id, unnest($months)::DATE AS month, $computation::UUID AS computation_id,
  unnest($madeOf) AS made_of, $now::TIMESTAMP AS computed_at`;

const DISTRIBUTED = `distributed AS (
  SELECT * FROM distributed_spend WHERE org_id = $org AND computation_id = $computation::UUID)`;

const INSERT_DAILY_TOTALS = `
INSERT INTO daily_totals BY NAME
WITH ${LOADS_OF_COMPUTATION}, ${billLines('true')}, ${COUNTED_LINES}, ${DISTRIBUTED},
counted AS (
  SELECT month, day, source, cloud, account, cost FROM counted_lines
  UNION ALL SELECT month, day, source, NULL, NULL, cost FROM distributed)
SELECT $org AS org_id, month, $computation::UUID AS computation_id, day, source, cloud, account, sum(cost) AS cost
FROM counted GROUP BY ALL`;

// Plain columns are rolled up first, so that each combination's text keys are made only once.
const INSERT_MONTH_SPEND = `
INSERT INTO month_spend BY NAME
WITH ${LOADS_OF_COMPUTATION}, ${billLines('day <= $today::DATE')}, ${COUNTED_LINES}, ${DISTRIBUTED},
rolled_up AS (
  SELECT month, source, cloud, account, split_kind, split_value, tag_key, tag_value, cluster,
    NULL AS namespace, NULL AS workload, host, NULL AS host_service, NULL AS repository, sum(cost) AS cost
  FROM counted_lines GROUP BY ALL
  UNION ALL
  SELECT month, source, NULL, NULL, NULL, NULL, NULL, NULL, cluster, namespace, workload, host, host_service,
    repository, sum(cost)
  FROM distributed WHERE day <= $today::DATE GROUP BY ALL)
SELECT $org AS org_id, $computation::UUID AS computation_id, month, ${SPEND_KEYS} AS keys, sum(cost) AS cost
FROM rolled_up GROUP BY ALL`;
