import type { UnitKind } from '../../domain/sources/spend-sources.ts';
import { idAfter } from '../../warehouse/engine/sql/ids.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/** The newest of its fourteen months is December 2025. All were delivered by then. */
export const NOW = new Date('2026-01-10T12:00:00Z');

/** The organisation whose loads have units, and its twin whose loads have none. */
export const WITH_UNITS = 'org_units';
export const WITHOUT_UNITS = 'org_bare';

const SOURCES = [
  { id: 'src_1', kind: 'focus', unit: 'account', name: 'aws/', units: 150 },
  { id: 'src_2', kind: 'focus', unit: 'account', name: 'azure/', units: 50 },
  { id: 'src_3', kind: 'opencost', unit: 'cluster', name: 'cluster-', units: 10 },
  { id: 'src_4', kind: 'hosts', unit: 'host', name: 'host-', units: 50 },
  { id: 'src_5', kind: 'ai_tools', unit: 'tool', name: 'tool-', units: 3 },
] satisfies { id: string; kind: string; unit: UnitKind; name: string; units: number }[];

const MONTHS = `(SELECT CAST(month AS DATE) AS month FROM generate_series(DATE '2024-11-01', DATE '2025-12-01', INTERVAL 1 MONTH) AS months(month))`;

/** A tenth of the units lack five days of one month. Another tenth rests on weekends. */
const IS_PRESENT = `NOT (unit % 10 = 0 AND day BETWEEN hole + 10 AND hole + 14) AND NOT (unit % 10 = 1 AND isodow(day) > 5)`;

const HOLE = `CAST(DATE '2024-11-01' + to_months(CAST(hash(unit) % 14 AS INTEGER)) AS DATE)`;

const DAY_BITS = `bit_or(CAST(1 AS BIGINT) << CAST(date_part('day', day) - 1 AS INTEGER))`;

/** Adds the organisation and its twin, each with fourteen months of five sources: 200 accounts, 10 clusters, 50 hosts and 3 tools. */
export async function addUnitsOrganisations(warehouse: Warehouse): Promise<void> {
  for (const org of [WITH_UNITS, WITHOUT_UNITS]) {
    await warehouse.run(
      `INSERT INTO organisation_versions BY NAME SELECT '${org}' AS org_id, uuidv7() AS version_id, 'Bench' AS name, 'enterprise' AS tier, 'USD' AS currency, 5 AS settle_days, now()::TIMESTAMP AS changed_at`,
    );
    await warehouse.run(
      `INSERT INTO metric_versions BY NAME SELECT '${org}' AS org_id, 'met_1' AS metric_id, uuidv7() AS version_id, 'Metric' AS name, 'order' AS unit, 'count' AS kind,
         'total' AS aggregation, 'monthly' AS frequency, 'null'::JSON AS rise, false AS assistant_access, '{"type":"organisation"}'::JSON AS scope, now()::TIMESTAMP AS created_at, false AS deleted, now()::TIMESTAMP AS changed_at, 'key' AS changed_by`,
    );
    for (const source of SOURCES) await addSource(warehouse, org, source);
  }
}

async function addSource(
  warehouse: Warehouse,
  org: string,
  { id, kind, unit, name, units }: (typeof SOURCES)[number],
): Promise<void> {
  const own = `'${org}' AS org_id, '${id}' AS source_id`;
  const load = `'${idAfter(null)}'::UUID AS load_id`;
  const days = `(SELECT unit, ${HOLE} AS hole, CAST(day AS DATE) AS day, CAST(date_trunc('month', day) AS DATE) AS billing_period
    FROM range(${units}) AS units(unit), generate_series(DATE '2024-11-01', DATE '2025-12-31', INTERVAL 1 DAY) AS days(day))`;
  const statements = [
    `INSERT INTO cost_source_versions BY NAME SELECT ${own}, uuidv7() AS version_id, '${id}' AS name, '${kind}' AS kind, '/' AS location, '{}' AS options,
       false AS schedule_paused, false AS deleted, TIMESTAMP '2024-10-01' AS changed_at`,
    `INSERT INTO loads BY NAME SELECT ${own}, month AS billing_period, ${load}, 'run' AS run_id, month + INTERVAL 1 MONTH + INTERVAL 5 DAY AS published_at,
       month AS first_day, last_day(month) AS last_day, last_day(month) AS delivered_through,
       ${kind === 'opencost' || kind === 'hosts' ? 'list_transform(range(day(last_day(month))), lambda n: month + CAST(n AS INTEGER))' : 'NULL'} AS covered_days
     FROM ${MONTHS}`,
    ...(kind === 'focus'
      ? [
          `INSERT INTO cloud_spend BY NAME SELECT ${own}, ${load}, billing_period, day, rtrim('${name}', '/') AS cloud, CAST(unit AS VARCHAR) AS account, 24 AS cost
           FROM ${days} WHERE ${IS_PRESENT}`,
        ]
      : []),
    ...(org === WITH_UNITS
      ? [
          `INSERT INTO load_units BY NAME SELECT ${own}, ${load}, billing_period, '${unit}' AS kind, '${name}' || unit AS unit,
             ${DAY_BITS} AS days, ${DAY_BITS} AS spend_days, 24 * count(*) AS cost
           FROM ${days} WHERE ${IS_PRESENT} GROUP BY billing_period, unit`,
        ]
      : []),
  ];
  for (const statement of statements) await warehouse.run(statement);
}
