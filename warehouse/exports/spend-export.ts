import { addDays, firstDay, lastDay, type Day } from '../../domain/shared/calendar.ts';
import { computeSpend } from '../spend/compute-spend.ts';
import { ACCOUNT_NAMES } from '../spend/costs.ts';
import { COUNTED_DAYS } from '../spend/daily-spend.ts';
import { cte, ctes } from '../engine/sql/cte.ts';
import { owners } from '../spend/picks/ownership.ts';
import { SPEND_KEYS } from '../spend/picks/pick-key.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { Columns } from '../engine/sql/columns.ts';
import type { ExportRequest } from './export-request.ts';
import type { ExportRows } from './export-rows.ts';

/** The columns of FOCUS that the warehouse holds, and its own with the prefix that FOCUS leaves to providers. */
const COLUMNS = {
  ChargePeriodStart: 'TIMESTAMPTZ',
  ChargePeriodEnd: 'TIMESTAMPTZ',
  EffectiveCost: 'DECIMAL(38,15)',
  BillingCurrency: 'VARCHAR',
  ProviderName: 'VARCHAR',
  SubAccountId: 'VARCHAR',
  SubAccountName: 'VARCHAR',
  ServiceName: 'VARCHAR',
  x_ResourceGroupName: 'VARCHAR',
  x_TagKey: 'VARCHAR',
  x_TagValue: 'VARCHAR',
  x_Source: 'VARCHAR',
  x_Cluster: 'VARCHAR',
  x_Namespace: 'VARCHAR',
  x_Workload: 'VARCHAR',
  x_Host: 'VARCHAR',
  x_HostService: 'VARCHAR',
  x_Tool: 'VARCHAR',
  x_Repository: 'VARCHAR',
  x_Team: 'VARCHAR',
  x_TeamId: 'VARCHAR',
  x_SharedCost: 'VARCHAR',
  x_SharedCostId: 'VARCHAR',
} as const satisfies Columns;

/**
 * Returns the counted spend of some months by day, everything that it can be grouped by, and owner: every dollar once, so that
 * the rows of a month add up to its `/costs` (docs/concepts.md#every-dollar-counts-once). Rows of 0 are left out. Shared costs
 * are not split.
 */
export async function spendExport({
  warehouse,
  organisation,
  start,
  end,
  now,
  noteUpdates,
}: ExportRequest): Promise<ExportRows> {
  const computed = await computeSpend(warehouse, organisation.id, now);
  noteUpdates(computed);
  const ranges = await dividedDays(warehouse, organisation.id, { start: firstDay(start), end: lastDay(end) });
  return {
    columns: COLUMNS,
    select: SPEND,
    runs: ranges.map((days) => ({ org: organisation.id, currency: organisation.currency, ...days })),
  };
}

/**
 * Stored lines that one run of the statement reads, unless a day has more. DuckDB cannot spill all of its groups: 800,000 lines
 * passed with 256 MB, and ten million failed with 3 GB.
 */
const MOST_LINES = 1_000_000;

/** Divides days into ranges without gaps, each with few enough lines for one run. */
async function dividedDays(
  warehouse: Warehouse,
  orgId: string,
  { start, end }: { start: Day; end: Day },
): Promise<{ start: Day; end: Day }[]> {
  const later = await warehouse.query<{ first: Day }>(LATER_RANGES, { org: orgId, start, end });
  const starts = [start, ...later.map(({ first }) => first)];
  return starts.map((first, at) => {
    const next = starts[at + 1];
    return { start: first, end: next === undefined ? end : addDays(next, -1) };
  });
}

const LATER_RANGES = `
WITH lines AS (
  SELECT day FROM cloud_spend WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE
  UNION ALL
  SELECT day FROM distributed_spend WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE),
days AS (SELECT day, (sum(count(*)) OVER (ORDER BY day) - count(*)) // ${MOST_LINES} AS range FROM lines GROUP BY day)
SELECT CAST(min(day) AS VARCHAR) AS first FROM days WHERE range > 0 GROUP BY range ORDER BY first`;

const ROLLED_UP = cte({
  name: 'spend',
  needs: [COUNTED_DAYS],
  sql: `SELECT *, ${SPEND_KEYS} AS keys
  FROM (SELECT * EXCLUDE (cost), sum(cost) AS cost FROM counted GROUP BY ALL HAVING sum(cost) <> 0)`,
});

// A bill line that is cluster or host spend keeps its account, so that a month of an account adds up to its bill.
const SPEND = `
WITH ${ctes(ROLLED_UP, owners(ROLLED_UP), ACCOUNT_NAMES)}
SELECT CAST(day AS TIMESTAMP) AS "ChargePeriodStart", CAST(day + 1 AS TIMESTAMP) AS "ChargePeriodEnd", cost AS "EffectiveCost",
  $currency AS "BillingCurrency", cloud AS "ProviderName", account AS "SubAccountId", name AS "SubAccountName",
  CASE WHEN split_kind = 'service' THEN split_value END AS "ServiceName",
  CASE WHEN split_kind = 'resource_group' THEN split_value END AS "x_ResourceGroupName",
  tag_key AS "x_TagKey", tag_value AS "x_TagValue", source AS "x_Source", cluster AS "x_Cluster", namespace AS "x_Namespace",
  workload AS "x_Workload", host AS "x_Host", host_service AS "x_HostService", tool AS "x_Tool", repository AS "x_Repository",
  CASE WHEN user_type = 'team' THEN user_name END AS "x_Team", CASE WHEN user_type = 'team' THEN user_id END AS "x_TeamId",
  CASE WHEN user_type = 'shared cost' THEN user_name END AS "x_SharedCost",
  CASE WHEN user_type = 'shared cost' THEN user_id END AS "x_SharedCostId"
FROM spend LEFT JOIN owners USING (keys) LEFT JOIN account_names_now USING (cloud, account)
ORDER BY ALL`;
