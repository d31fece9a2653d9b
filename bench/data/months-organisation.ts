import { join } from 'node:path';
import { idAfter } from '../../warehouse/engine/sql/ids.ts';
import { spillDirectory, Warehouse } from '../../warehouse/engine/warehouse.ts';

export const ORG = 'org_bench';
/** The bench's twelve months are those of 2025, and all their spend has been delivered. */
export const NOW = new Date('2026-01-10T12:00:00Z');

/** Opens a warehouse for the bench's organisation. */
export const openBench = (directory: string, file = 'warehouse.duckdb'): Promise<Warehouse> =>
  Warehouse.open({
    location: join(directory, file),
    dataPath: null,
    extensions: null,
    memoryLimit: '2GB',
    threads: null,
    spillDirectory: spillDirectory(directory),
    cacheBytes: 64_000_000,
    objectStorage: { keyId: null, secret: null, sessionToken: null, region: null, endpoint: null },
  });

/** Reads every amount once, which is the least work of a computation from these tables. */
export const BARE_SCAN = `
SELECT (SELECT sum(cost) FROM cloud_spend), (SELECT sum(cost) FROM kubernetes_spend), (SELECT sum(cost) FROM cluster_assets),
  (SELECT sum(cost) FROM host_spend), (SELECT sum(cost) FROM ai_tool_spend), (SELECT sum(usage) FROM ai_usage)`;

/** Makes months stale, like a restatement of their spend. */
export const makeStale = (warehouse: Warehouse, months: 'all' | 'one'): Promise<number> =>
  warehouse.run(`DELETE FROM month_computations WHERE $months = 'all' OR month = DATE '2025-12-01'`, {
    months,
  });

const SOURCES = ['focus', 'opencost', 'hosts', 'ai_tools'] as const;
const LOADS = Object.fromEntries(SOURCES.map((kind) => [kind, idAfter(null)])) as Record<
  (typeof SOURCES)[number],
  string
>;

/** SQL for the columns that all tables of spend share. */
const load = (kind: (typeof SOURCES)[number]): string =>
  `'${ORG}' AS org_id, 'src_${kind}' AS source_id, '${LOADS[kind]}'::UUID AS load_id, CAST(date_trunc('month', day) AS DATE) AS billing_period`;

const DAYS = `(SELECT CAST(day AS DATE) AS day FROM generate_series(DATE '2025-01-01', DATE '2025-12-31', INTERVAL 1 DAY) AS days(day))`;

/**
 * Publishes a year of daily spend. Of `rows` rows, 88 % are bill lines (200 accounts, 12 services, 20 tag values, a third of them
 * with one of 4,000 resources). The others are workloads of 10 clusters, services of 300 hosts, and AI usage.
 */
export async function fillOrganisation(warehouse: Warehouse, rows: number): Promise<void> {
  const perDay = Math.round(rows / 365);
  const [lines, workloads, services, usage] = [0.88, 0.08, 0.03, 0.01].map((share) =>
    Math.max(10, Math.round(perDay * share)),
  );
  const statements = [
    `INSERT INTO organisation_versions BY NAME SELECT '${ORG}' AS org_id, uuidv7() AS version_id, 'Bench' AS name, 'enterprise' AS tier, 'USD' AS currency, 5 AS settle_days, now()::TIMESTAMP AS changed_at`,
    ...SOURCES.map(
      (kind) =>
        `INSERT INTO cost_source_versions BY NAME SELECT '${ORG}' AS org_id, 'src_${kind}' AS source_id, uuidv7() AS version_id, '${kind}' AS name, '${kind}' AS kind, '/' AS location, '{}' AS options, false AS schedule_paused, false AS deleted, now()::TIMESTAMP AS changed_at`,
    ),
    `INSERT INTO cloud_spend BY NAME SELECT ${load('focus')}, day, 'aws' AS cloud, 'account-' || line % 200 AS account,
       'service' AS split_kind, 'service-' || hash(line, 1) % 12 AS split_value, 'team' AS tag_key, 'team-' || hash(line, 2) % 20 AS tag_value,
       CASE WHEN hash(line, 3) % 3 = 0 THEN 'arn:aws:ec2:eu-west-1:1:instance/i-' || hash(line, 4) % 4000 END AS resource_id,
       CAST((hash(line, day) % 1000000) / 1000000.0 AS DECIMAL(18,15)) AS cost
     FROM ${DAYS}, range(${lines}) AS lines(line)`,
    `INSERT INTO kubernetes_spend BY NAME SELECT ${load('opencost')}, day, 'cluster-' || line % 10 AS cluster, 'namespace-' || hash(line, 1) % 40 AS namespace,
       'deployment/app-' || line AS workload, false AS is_idle, CAST((hash(line, day) % 1000) / 1000.0 AS DECIMAL(18,15)) AS cost
     FROM ${DAYS}, range(${workloads}) AS lines(line)`,
    `INSERT INTO cluster_assets BY NAME SELECT ${load('opencost')}, day, 'cluster-' || line % 10 AS cluster, 'node' AS kind, 'i-' || line AS provider_id, 1.5 AS cost
     FROM ${DAYS}, range(500) AS lines(line)`,
    `INSERT INTO host_spend BY NAME SELECT ${load('hosts')}, day, 'host-' || line % 300 AS host, 'service-' || line AS service, 'i-' || (1000 + line % 300) AS machine_id, CAST((hash(line, day) % 1000) / 1000.0 AS DECIMAL(18,15)) AS cost
     FROM ${DAYS}, range(${services}) AS lines(line)`,
    `INSERT INTO ai_tool_spend BY NAME SELECT ${load('ai_tools')}, day, 'tool-' || line AS tool, 'usage' AS kind, 100 + line AS cost FROM ${DAYS}, range(3) AS lines(line)`,
    `INSERT INTO ai_usage BY NAME SELECT ${load('ai_tools')}, day, 'tool-' || line % 3 AS tool, 'github.com/acme/repository-' || line AS repository, 1 + hash(line, day) % 100 AS usage FROM ${DAYS}, range(${usage}) AS lines(line)`,
    ...SOURCES.map(
      (
        kind,
      ) => `INSERT INTO loads BY NAME SELECT '${ORG}' AS org_id, 'src_${kind}' AS source_id, month AS billing_period, '${LOADS[kind]}'::UUID AS load_id, 'run' AS run_id, now()::TIMESTAMP AS published_at,
       month AS first_day, last_day(month) AS last_day, last_day(month) AS delivered_through
     FROM (SELECT CAST(month AS DATE) AS month FROM generate_series(DATE '2025-01-01', DATE '2025-12-01', INTERVAL 1 MONTH) AS months(month))`,
    ),
    `INSERT INTO spend_choice_versions BY NAME SELECT '${ORG}' AS org_id, 'tag' AS kind, 'aws' AS cloud, '' AS account, uuidv7() AS version_id, 'team' AS choice, DATE '2025-01-01' AS first_day, now()::TIMESTAMP AS changed_at`,
    `INSERT INTO spend_choice_versions BY NAME SELECT '${ORG}' AS org_id, 'split' AS kind, 'aws' AS cloud, 'account-' || line AS account, uuidv7() AS version_id, 'service' AS choice, DATE '2025-01-01' AS first_day, now()::TIMESTAMP AS changed_at FROM range(200) AS lines(line)`,
  ];
  for (const statement of statements) await warehouse.run(statement);
}

/** Returns a scope. A tenth of the metrics count the organisation. The others mix all forms of picks, some overlapping. */
function scopeOf(index: number): object {
  if (index % 10 === 0) return { type: 'organisation' };
  const account = `account-${index % 200}`;
  const spend: object[] = [
    { source: 'cloud', cloud: 'aws', account },
    {
      source: 'cloud',
      cloud: 'aws',
      account: `account-${(index * 7) % 200}`,
      service: `service-${index % 12}`,
    },
    { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: `team-${index % 20}` } },
    { source: 'kubernetes', cluster: `cluster-${index % 10}`, namespace: `namespace-${index % 40}` },
    {
      source: 'kubernetes',
      cluster: `cluster-${(index * 3) % 10}`,
      namespace: `namespace-${(index * 3) % 40}`,
      workload: `deployment/app-${index * 3}`,
    },
    { source: 'host', host: `host-${index % 300}` },
    { source: 'host', host: `host-${(index * 11) % 300}`, service: `service-${(index * 11) % 300}` },
    { source: 'repository', repository: `github.com/acme/repository-${index % 50}` },
  ];
  return { type: 'spend', spend: spend.filter((_, form) => (index + form) % 3 !== 0) };
}

/** Adds metrics, each with a value for every month, and returns their ids. */
export async function addMetrics(warehouse: Warehouse, count: number): Promise<string[]> {
  const metrics = Array.from({ length: count }, (_, index) => ({
    metric_id: `met_${index.toString().padStart(6, '0')}`,
    scope: JSON.stringify(scopeOf(index)),
  }));
  await warehouse.run(
    `INSERT INTO metric_versions BY NAME SELECT '${ORG}' AS org_id, metric.metric_id, uuidv7() AS version_id, 'Metric' AS name, 'order' AS unit, 'count' AS kind,
       'total' AS aggregation, 'monthly' AS frequency, 'null'::JSON AS rise, false AS assistant_access, metric.scope::JSON AS scope, now()::TIMESTAMP AS created_at, false AS deleted, now()::TIMESTAMP AS changed_at, 'key' AS changed_by
     FROM (SELECT unnest(from_json($metrics, '[{"metric_id":"VARCHAR","scope":"VARCHAR"}]')) AS metric)`,
    { metrics: JSON.stringify(metrics) },
  );
  await warehouse.run(
    `INSERT INTO metric_value_changes BY NAME SELECT org_id, metric_id, uuidv7() AS change_id, CAST(month AS DATE) AS period, '' AS label, 1000 AS value, 'api' AS source,
       'key' AS changed_by_type, 'key' AS changed_by_id, 'Bench' AS changed_by_name, now()::TIMESTAMP AS changed_at
     FROM metrics, generate_series(DATE '2025-01-01', DATE '2025-12-01', INTERVAL 1 MONTH) AS months(month) WHERE org_id = '${ORG}'`,
  );
  return metrics.map(({ metric_id }) => metric_id);
}
