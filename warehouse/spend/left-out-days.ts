import { cte, ctes } from '../engine/sql/cte.ts';
import type { Session } from '../engine/session.ts';
import { amountInWords, areMostlySame, isSameAmount } from '../sources/publishing/charged-twice.ts';
import { MONTH } from '../sources/publishing/publish-load.ts';
import { LOADS_OF_COMPUTATION, loadedRows, unitOf, type UnitTable } from './counted-spend.ts';

/** The tables whose rows show that a unit has spend. */
const SPEND: readonly UnitTable[] = ['cloud_spend', 'kubernetes_spend', 'host_spend', 'ai_tool_spend'];

/**
 * Stores the days on which the rows of a unit do not count: a person has ended the unit in one source, and another source has
 * spend of it. Without the other source they count, because a tax or a correction can come after the end, and would be lost.
 * If both sources have ended the unit, both count.
 *
 * Two sources with the same charges are one bill. If the ended one has more on some day, such as a tax, this is in doubt.
 */
export async function storeLeftOutDays(
  session: Session,
  { org, computation }: { org: string; computation: string },
): Promise<void> {
  const [ended] = await session.query(
    'FROM decided_units WHERE org_id = $org AND ended_on IS NOT NULL LIMIT 1',
    { org },
  );
  if (ended === undefined) return;
  await session.run(INSERT_LEFT_OUT_DAYS, { org, computation });
  await session.run(INSERT_DOUBTS, { org, computation });
}

/** What each unit costs each day in each source, and whether it has ended there. */
const LIVES = cte({
  name: 'lives',
  needs: [LOADS_OF_COMPUTATION],
  sql: `WITH decided AS (SELECT source_id, unit, ended_on FROM decided_units WHERE org_id = $org),
unit_days AS (
  ${SPEND.map(
    (
      table,
    ) => `SELECT '${table}' AS spent_in, source_id, ${unitOf(table)} AS unit, day, sum(cost) AS cost FROM ${loadedRows(table)}
  GROUP BY ALL HAVING sum(cost) <> 0`,
  ).join('\n  UNION ALL ')})
SELECT unit_days.*, COALESCE(day > ended_on, false) AS has_ended FROM unit_days LEFT JOIN decided USING (source_id, unit)`,
});

const INSERT_LEFT_OUT_DAYS = `
INSERT INTO left_out_days BY NAME
WITH ${ctes(LIVES)}
SELECT $org AS org_id, ${MONTH} AS month, $computation::UUID AS computation_id, source_id, unit, day
FROM lives WHERE has_ended AND EXISTS (
  FROM lives AS other WHERE other.spent_in = lives.spent_in AND other.unit = lives.unit AND other.day = lives.day
    AND other.source_id <> lives.source_id AND NOT other.has_ended)`;

const INSERT_DOUBTS = `
INSERT INTO month_doubts BY NAME
WITH ${ctes(LIVES)},
left_out AS (
  SELECT source_id, unit, day, true AS is_left_out FROM left_out_days
  WHERE org_id = $org AND computation_id = $computation::UUID),
common_days AS (
  SELECT ${MONTH} AS month, ended.source_id, unit, day, ended.cost, sum(other.cost) AS other_cost, COALESCE(is_left_out, false) AS is_left_out
  FROM lives AS ended LEFT JOIN left_out USING (source_id, unit, day)
  JOIN (FROM lives ANTI JOIN left_out USING (source_id, unit, day)) AS other USING (spent_in, unit, day)
  WHERE ended.source_id <> other.source_id AND (ended.source_id, unit) IN (SELECT (source_id, unit) FROM left_out)
  GROUP BY ALL),
compared AS (
  SELECT *, ${isSameAmount('cost', 'other_cost')} AS is_same, is_left_out AND cost > other_cost AND NOT is_same AS is_lost
  FROM common_days),
lost AS (
  SELECT month, source_id, unit, sum(cost - other_cost) FILTER (is_lost) AS amount, count_if(is_lost) AS days,
    min(day) FILTER (is_lost) AS first_day, max(day) FILTER (is_lost) AS last_day
  FROM compared GROUP BY ALL HAVING ${areMostlySame('is_same')} AND days > 0)
SELECT $org AS org_id, month, $computation::UUID AS computation_id, source_id, 'charges_left_out' AS code, unit, amount,
  'has ended ' || to_json(unit) || ', but has more of it than the other sources on ' || CASE WHEN days = 1 THEN first_day::VARCHAR
    ELSE days || ' days from ' || first_day || ' to ' || last_day END || ': ' || ${amountInWords('amount')} || ' does not count' AS phrase
FROM lost`;
