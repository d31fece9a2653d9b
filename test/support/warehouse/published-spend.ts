import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { idAfter } from '../../../warehouse/engine/sql/ids.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';

/** The columns of the spend tables that come from a feed, without those of its load. */
const COLUMNS = {
  cloud_spend: {
    day: 'DATE',
    cloud: 'VARCHAR',
    account: 'VARCHAR',
    split_kind: 'VARCHAR',
    split_value: 'VARCHAR',
    tag_key: 'VARCHAR',
    tag_value: 'VARCHAR',
    resource_id: 'VARCHAR',
    resource_name: 'VARCHAR',
    zone: 'VARCHAR',
    cost: 'DECIMAL(38,15)',
  },
  kubernetes_spend: {
    day: 'DATE',
    cluster: 'VARCHAR',
    namespace: 'VARCHAR',
    workload: 'VARCHAR',
    is_idle: 'BOOLEAN',
    cost: 'DECIMAL(38,15)',
  },
  cluster_assets: {
    day: 'DATE',
    cluster: 'VARCHAR',
    kind: 'VARCHAR',
    provider_id: 'VARCHAR',
    project: 'VARCHAR',
    cost: 'DECIMAL(38,15)',
  },
  host_spend: {
    day: 'DATE',
    host: 'VARCHAR',
    service: 'VARCHAR',
    machine_id: 'VARCHAR',
    cost: 'DECIMAL(38,15)',
  },
  ai_tool_spend: { day: 'DATE', tool: 'VARCHAR', kind: 'VARCHAR', cost: 'DECIMAL(38,15)' },
  ai_usage: { day: 'DATE', tool: 'VARCHAR', repository: 'VARCHAR', usage: 'DECIMAL(38,6)' },
} as const;

/** Tables whose rows say whether their day had ended when they were read. */
const OF_DAYS: readonly string[] = ['kubernetes_spend', 'cluster_assets', 'host_spend', 'ai_tool_spend'];

export type SpendTable = keyof typeof COLUMNS;

/** A row of a feed. Amounts are decimal text. Missing columns are null. */
export type SpendRow = { day: Day } & Record<string, string | boolean | null>;

/**
 * Publishes rows as one load of a source and month, in the form that loaders store, for tests of counting. The load replaces
 * the source's load of that month.
 * It has no days of accounts, clusters, hosts and tools.
 */
export async function publishSpend(
  warehouse: Warehouse,
  target: { orgId: string; sourceId: string },
  month: Month,
  tables: Partial<Record<SpendTable, readonly SpendRow[]>>,
  now: Date = new Date('2026-02-07T06:00:00Z'),
): Promise<void> {
  const [newest] = await warehouse.query<{ id: string | null }>(
    'SELECT max(load_id) AS id FROM loads WHERE org_id = $org AND source_id = $source',
    { org: target.orgId, source: target.sourceId },
  );
  const load = {
    org: target.orgId,
    source: target.sourceId,
    load: idAfter(newest?.id ?? null),
    period: `${month}-01`,
  };
  const days: Day[] = [];
  for (const [table, rows] of Object.entries(tables) as [SpendTable, readonly SpendRow[]][]) {
    days.push(...rows.map(({ day }) => day));
    await warehouse.run(
      `INSERT INTO ${table} BY NAME
       SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, $period::DATE AS billing_period,
         ${OF_DAYS.includes(table) ? 'true AS is_whole,' : ''} unnest(from_json($rows, $shape), recursive := true)`.replace(
        '$shape',
        `'${JSON.stringify([COLUMNS[table]])}'`,
      ),
      { ...load, rows: JSON.stringify(rows) },
    );
  }
  days.sort();
  const isDaily = tables.kubernetes_spend !== undefined || tables.host_spend !== undefined;
  await warehouse.run(
    `INSERT INTO loads BY NAME
     SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, 'run_test' AS run_id,
       $period::DATE AS billing_period, $now::TIMESTAMP AS published_at, $first::DATE AS first_day,
       $last::DATE AS last_day, least($last::DATE, CAST($now::TIMESTAMP AS DATE)) AS delivered_through, 0::BIGINT AS rows_read, 0::DECIMAL(38,15) AS cost_total,
       CASE WHEN $daily THEN CAST(generate_series(greatest($first::DATE, $period::DATE),
         least($last::DATE, last_day($period::DATE), CAST($now::TIMESTAMP AS DATE) - 1), INTERVAL 1 DAY) AS DATE[]) END AS covered_days`,
    { ...load, now: now.toISOString(), first: days[0] ?? null, last: days.at(-1) ?? null, daily: isDaily },
  );
}
