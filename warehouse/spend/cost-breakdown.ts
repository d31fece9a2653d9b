import type { Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { ACCOUNT_NAMES } from './costs.ts';
import { COUNTED_DAYS } from './daily-spend.ts';
import type { ComputedSession, ComputedWarehouse } from './compute-spend.ts';
import { cte, ctes } from '../engine/sql/cte.ts';
import { owners } from './picks/ownership.ts';
import { SPEND_KEYS } from './picks/pick-key.ts';
import { streamParquet } from '../engine/parquet-file.ts';
import { typedColumns, type Columns } from '../engine/sql/columns.ts';

/**
 * The keys to group spend by, each with its column of the counted rows. Cloud, account, service, resource group and tag leave
 * out the clusters and hosts inside an account, as picks do (docs/concepts.md#every-dollar-counts-once).
 */
const KEYS = {
  day: 'day',
  month: `strftime(day, '%Y-%m')`,
  source: 'source',
  cloud: `CASE WHEN source = 'cloud' THEN cloud END`,
  account: `CASE WHEN source = 'cloud' THEN account END`,
  service: `CASE WHEN split_kind = 'service' THEN split_value END`,
  resource_group: `CASE WHEN split_kind = 'resource_group' THEN split_value END`,
  tag: 'tag_value',
  cluster: 'cluster',
  namespace: 'namespace',
  workload: 'workload',
  host: 'host',
  host_service: 'host_service',
  repository: 'repository',
  tool: 'tool',
  team: `CASE WHEN user_type = 'team' THEN user_id END`,
} as const;

export type BreakdownKey = keyof typeof KEYS;
export const BREAKDOWN_KEYS = Object.keys(KEYS) as [BreakdownKey, ...BreakdownKey[]];

/** Columns beside keys that need an explanation: the tag's key, and the name of an account or team. */
const BESIDE: Partial<Record<BreakdownKey, { name: string; value: string }>> = {
  tag: { name: 'tag_key', value: 'tag_key' },
  account: { name: 'account_name', value: `CASE WHEN source = 'cloud' THEN name END` },
  team: { name: 'team_name', value: `CASE WHEN user_type = 'team' THEN user_name END` },
};

/** Returns the columns of a breakdown, in order. Totals have the six places of the API. */
export function breakdownColumns(keys: readonly BreakdownKey[]): Columns {
  const texts = [...keys, ...keys.flatMap((key) => BESIDE[key]?.name ?? [])];
  return {
    ...Object.fromEntries(texts.map((column) => [column, column === 'day' ? 'DATE' : 'VARCHAR'])),
    total: 'DECIMAL(38,6)',
  };
}

/** The keys in the daily totals. Any other key needs the bill lines. */
const DAILY: readonly BreakdownKey[] = ['day', 'month', 'source', 'cloud', 'account'];

/** A part of the spend: its sum, and the wanted keys, each null for spend without it. */
export type BreakdownRow = Record<string, string | null> & { total: DecimalText };

/**
 * Returns the spend of the days `start` to `end`, both inclusive, grouped by one or two keys. The rows add up to the total to
 * the last decimal, because spend without a key has null. If a key is the day or month, they are ordered by it. Then the largest
 * amounts come first.
 */
export const costBreakdown = (
  session: ComputedSession,
  orgId: string,
  keys: readonly BreakdownKey[],
  range: { start: Day; end: Day; limit: number; offset: number },
): Promise<BreakdownRow[]> => session.query<BreakdownRow>(breakdownStatement(keys), { org: orgId, ...range });

/** Days, both inclusive, and which of their rows; all if `limit` is null. */
interface BreakdownRange {
  start: Day;
  end: Day;
  limit: number | null;
  offset: number;
}

/** Yields rows of the same in batches, in bounded memory, with totals of six places; see {@link Warehouse.stream}. */
export const streamBreakdown = (
  warehouse: ComputedWarehouse,
  orgId: string,
  keys: readonly BreakdownKey[],
  range: BreakdownRange,
  signal: AbortSignal,
): AsyncGenerator<BreakdownRow[]> =>
  warehouse.stream(typedBreakdown(keys), [{ org: orgId, ...range }], signal);

/** Yields a Parquet file of the same rows; see {@link streamParquet}. */
export const parquetBreakdown = (
  warehouse: ComputedWarehouse,
  orgId: string,
  keys: readonly BreakdownKey[],
  range: BreakdownRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> =>
  streamParquet(warehouse, typedBreakdown(keys), { org: orgId, ...range }, signal);

const typedBreakdown = (keys: readonly BreakdownKey[]): string =>
  typedColumns(breakdownColumns(keys), `(${breakdownStatement(keys)})`);

const KEYED_DAYS = cte({
  name: 'spend',
  needs: [COUNTED_DAYS],
  sql: `SELECT *, ${SPEND_KEYS} AS keys FROM counted`,
});

/** The counted rows of the days and their owners. Spend that a shared cost covers has no team. */
const OWNED_DAYS = cte({
  name: 'owned',
  needs: [KEYED_DAYS, owners(KEYED_DAYS)],
  sql: 'SELECT * FROM spend LEFT JOIN owners USING (keys)',
});

/** The daily totals of the days, for keys that need no bill lines. */
const COUNTED_TOTALS = cte({
  name: 'counted',
  sql: `SELECT day, source, cloud, account, cost
  FROM daily_totals JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE`,
});

/** Returns the statement of a breakdown. If `$limit` is null, it reads all rows. */
export function breakdownStatement(keys: readonly BreakdownKey[]): string {
  const named = keys.includes('account');
  const counted = keys.includes('team')
    ? OWNED_DAYS
    : keys.every((key) => DAILY.includes(key))
      ? COUNTED_TOTALS
      : COUNTED_DAYS;
  const columns = Object.keys(breakdownColumns(keys))
    .filter((column) => column !== 'total')
    .map((column) => `"${column}"`);
  const beside = keys.flatMap((key) => BESIDE[key] ?? []);
  const values = [
    ...keys.map((key) => `${KEYS[key]} AS "${key}"`),
    ...beside.map(({ name, value }) => `${value} AS ${name}`),
    'cost',
  ];
  const attributed = keys.map((key) => `"${key}" IS NOT NULL`).join(' AND ') || 'false';
  const times = keys.filter((key) => key === 'day' || key === 'month').map((key) => `"${key}"`);
  return `
WITH ${ctes(counted, ...(named ? [ACCOUNT_NAMES] : []))},
keyed AS (
  SELECT ${values.join(', ')}
  FROM ${counted.name}${named ? ' LEFT JOIN account_names_now USING (cloud, account)' : ''})
SELECT ${[...columns, 'sum(cost) AS total'].join(', ')}
FROM keyed
GROUP BY ${columns.join(', ') || '()'}
HAVING sum(cost) <> 0 OR (${attributed})
ORDER BY ${[...times, 'total DESC', ...columns.map((column) => `${column} NULLS LAST`)].join(', ')}
LIMIT $limit::BIGINT OFFSET $offset`;
}
