import {
  accountOfUnit,
  amountInWords,
  areMostlySame,
  isSameAmount,
  resourceKey,
} from '../../sources/publishing/charged-twice.ts';
import { MONTH } from '../../sources/publishing/publish-load.ts';
import { SPEND_OF_KIND } from '../../sources/spend-of-kind.ts';
import { ctes } from '../../engine/sql/cte.ts';
import type { Session } from '../../engine/session.ts';
import { LOADS_OF_COMPUTATION, ofUsedLoads, unitOf, type UnitTable } from '../counted-spend.ts';
import { reportedRows } from './doubled-clusters.ts';

/**
 * Stores a doubt for each account, host, tool or cluster whose charges two sources count in the computed months. Both read them
 * from one file, or report a cluster on the same days, or have the same amount on a third of the days that both have. A charge of
 * zero is no charge. Other amounts on the same days are sound, as if each source had some services of an account. A doubt belongs to the
 * newer source. A charge of it is in one doubt only, beside the oldest source with the same one.
 */
export async function storeChargesTwice(
  session: Session,
  parameters: { org: string; computation: string },
): Promise<void> {
  const [several] = await session.query(SEVERAL_OF_ONE_SPEND, parameters);
  if (several !== undefined) await session.run(INSERT_CHARGES_TWICE, parameters);
}

const SEVERAL_OF_ONE_SPEND = `
WITH ${ctes(LOADS_OF_COMPUTATION)}
SELECT ${SPEND_OF_KIND} AS spend FROM current_loads SEMI JOIN used_loads USING (load_id, billing_period)
WHERE org_id = $org GROUP BY spend HAVING count(DISTINCT source_id) > 1 LIMIT 1`;

/**
 * Selects what a unit costs each day, in each source, and the key by which sources have the same unit. The bill lines of a host on
 * a bill count once, so its idle share does too.
 */
const daysOf = (table: UnitTable, where = 'true', key = 'unit'): string => `
  SELECT *, ${key} AS key FROM (
  SELECT '${table}' AS spent_in, source_id, ${unitOf(table)} AS unit, day, sum(cost) AS cost FROM ${ofUsedLoads(table)}
  WHERE ${where} GROUP BY ALL HAVING sum(cost) <> 0)`;

/** The part of two amounts that counts twice: none if one is a credit, and the other is not. */
const SMALLER = `CASE WHEN older.cost > 0 AND newer.cost > 0 THEN least(older.cost, newer.cost)
    WHEN older.cost < 0 AND newer.cost < 0 THEN greatest(older.cost, newer.cost) ELSE 0 END`;

const DAYS = 'count(DISTINCT day) AS days, min(day) AS first_day, max(day) AS last_day';

const REPORTED = reportedRows({
  needs: [LOADS_OF_COMPUTATION],
  rowsOf: ofUsedLoads,
  computations: 'WHERE org_id = $org AND computation_id = $computation::UUID',
});

const INSERT_CHARGES_TWICE = `
INSERT INTO month_doubts BY NAME
WITH ${ctes(LOADS_OF_COMPUTATION, REPORTED)},
files AS (
  SELECT DISTINCT month, source_id, file FROM load_files JOIN used_loads USING (load_id) WHERE org_id = $org),
readers AS (
  SELECT DISTINCT month, older.source_id AS other_source_id, newer.source_id
  FROM files AS older JOIN files AS newer USING (month, file) WHERE older.source_id < newer.source_id),
billed_hosts AS (
  SELECT DISTINCT day, host FROM covered_resources
  WHERE org_id = $org AND computation_id = $computation::UUID AND host IS NOT NULL),
unit_days AS (${daysOf('cloud_spend', 'true', accountOfUnit('unit'))}
  UNION ALL ${daysOf('host_spend', 'service IS NOT NULL OR (day, host) NOT IN (FROM billed_hosts)')}
  UNION ALL ${daysOf('ai_tool_spend')}),
common_days AS (
  SELECT ${MONTH} AS month, older.source_id AS other_source_id, newer.source_id, newer.unit, older.unit AS other_unit, day, newer.cost,
    ${isSameAmount('older.cost', 'newer.cost')} AS is_equal, ${SMALLER} AS smaller
  FROM unit_days AS older JOIN unit_days AS newer USING (spent_in, key, day) WHERE older.source_id < newer.source_id
  -- A unit of another name is meant only if none has the same name.
  QUALIFY older.unit = newer.unit
    OR NOT bool_or(older.unit = newer.unit) OVER (PARTITION BY older.source_id, newer.source_id, key, day)),
pairs AS (
  SELECT month, source_id, other_source_id, unit, other_unit, readers.month IS NOT NULL AND unit = other_unit AS is_one_file
  FROM common_days LEFT JOIN readers USING (month, source_id, other_source_id) GROUP BY ALL
  HAVING is_one_file OR ${areMostlySame('is_equal')}),
resources AS (
  SELECT DISTINCT ${MONTH} AS month, source_id, ${unitOf('cloud_spend')} AS unit, ${resourceKey('resource_id')} AS resource
  FROM ${ofUsedLoads('cloud_spend', 'resource_id IS NOT NULL')}
  WHERE ${unitOf('cloud_spend')} IN (SELECT unnest([unit, other_unit]) FROM pairs)),
-- Both sources name resources, and none is in both: their prices are equal, and not their charges.
apart AS (
  SELECT pairs.* FROM pairs
  SEMI JOIN resources AS own USING (month, source_id, unit)
  SEMI JOIN resources AS theirs ON theirs.month = pairs.month AND theirs.source_id = other_source_id AND theirs.unit = other_unit
  ANTI JOIN (
    SELECT own.month, own.source_id, own.unit, theirs.source_id AS their_source_id, theirs.unit AS their_unit
    FROM resources AS own JOIN resources AS theirs USING (month, resource)) AS shared
    ON shared.month = pairs.month AND shared.source_id = pairs.source_id AND shared.unit = pairs.unit
      AND their_source_id = other_source_id AND their_unit = other_unit
  WHERE NOT is_one_file),
twice_days AS (
  SELECT month, source_id, other_source_id, unit, other_unit, is_one_file, day, smaller
  FROM common_days JOIN pairs USING (month, source_id, other_source_id, unit, other_unit)
  ANTI JOIN apart USING (month, source_id, other_source_id, unit, other_unit)
  WHERE smaller <> 0 AND (is_one_file OR is_equal)
  QUALIFY row_number() OVER (PARTITION BY source_id, unit, day ORDER BY other_source_id, other_unit) = 1),
same_charges AS (
  SELECT month, source_id, other_source_id, unit, other_unit, is_one_file, sum(smaller) AS amount, ${DAYS} FROM twice_days GROUP BY ALL),
same_rows AS (
  SELECT newer.source_id, older.source_id AS other_source_id, day, cluster, counts, is_workload, ${SMALLER} AS smaller
  FROM reported AS older JOIN reported AS newer USING (day, cluster, is_asset, is_workload, counts, key)
  WHERE older.source_id < newer.source_id AND smaller <> 0
  QUALIFY row_number() OVER (PARTITION BY newer.source_id, day, cluster, is_asset, is_workload, key ORDER BY older.source_id) = 1),
same_clusters AS (
  SELECT ${MONTH} AS month, source_id, other_source_id, cluster AS unit, ${DAYS}, sum(smaller) FILTER (counts) AS total,
    sum(smaller) FILTER (is_workload) AS workloads
  FROM same_rows GROUP BY ALL),
whole_days AS (
  SELECT source_id, day, cluster, sum(cost) AS cost,
    md5(string_agg(concat_ws('|', key, cost), ',' ORDER BY key, cost)) AS fingerprint
  FROM reported WHERE counts GROUP BY ALL),
renamed_clusters AS (
  SELECT ${MONTH} AS month, newer.source_id, older.source_id AS other_source_id, newer.cluster AS unit, older.cluster AS other_unit, day,
    newer.cost
  FROM whole_days AS older JOIN whole_days AS newer USING (day, fingerprint)
  WHERE older.source_id < newer.source_id AND older.cluster <> newer.cluster),
found AS (
  SELECT month, source_id, other_source_id, unit, amount, days, first_day, last_day,
    CASE WHEN is_one_file THEN 'both read it from one file' ELSE 'the amounts of the days are the same' END
      || CASE WHEN unit = other_unit THEN '' ELSE ', and the other calls it ' || to_json(other_unit) END AS why,
    other_unit
  FROM same_charges
  UNION ALL
  SELECT month, source_id, other_source_id, unit, COALESCE(NULLIF(total, 0), workloads), days, first_day, last_day,
    CASE WHEN COALESCE(total, 0) <> 0 THEN 'both report the cluster' ELSE 'both report its workloads, whose cluster counts once' END, unit
  FROM same_clusters
  UNION ALL
  SELECT month, source_id, other_source_id, unit, sum(cost), ${DAYS},
    'both read it from one file, and this one calls it ' || to_json(unit) || ', the other ' || to_json(other_unit), other_unit
  FROM renamed_clusters SEMI JOIN readers USING (month, source_id, other_source_id) GROUP BY month, source_id, other_source_id, unit, other_unit)
SELECT $org AS org_id, month, $computation::UUID AS computation_id, source_id,
  -- A unit with another name there cannot be ended there.
  CASE WHEN unit = other_unit THEN other_source_id END AS other_source_id, 'charges_twice' AS code, unit, amount,
  'charges ' || to_json(unit) || ' on the same ' || CASE WHEN days = 1 THEN 'day, ' || first_day
    ELSE days || ' days from ' || first_day || ' to ' || last_day END || ' as cost source ' || to_json(name) || ': '
    || ${amountInWords('amount')} || ' counts twice (' || why || ')' AS phrase
FROM found JOIN (SELECT source_id AS other_source_id, name FROM cost_sources WHERE org_id = $org) USING (other_source_id)
WHERE amount <> 0`;
