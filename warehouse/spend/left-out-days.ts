import type { Session } from '../engine/session.ts';
import { LOADS_OF_COMPUTATION, loadedRows, unitOf, type UnitTable } from './counted-spend.ts';

/** The tables whose rows show that a unit has spend. */
const SPEND: readonly UnitTable[] = ['cloud_spend', 'kubernetes_spend', 'host_spend', 'ai_tool_spend'];

/**
 * Stores the days on which the rows of a unit do not count: a person has ended the unit in one source, and another source has
 * spend of it. Without the other source they count, because a tax or a correction can come after the end, and would be lost.
 * If both sources have ended the unit, both count.
 */
export const storeLeftOutDays = async (
  session: Session,
  { org, computation }: { org: string; computation: string },
): Promise<void> => {
  const [ended] = await session.query(
    'FROM decided_units WHERE org_id = $org AND ended_on IS NOT NULL LIMIT 1',
    { org },
  );
  if (ended !== undefined) await session.run(INSERT_LEFT_OUT_DAYS, { org, computation });
};

const INSERT_LEFT_OUT_DAYS = `
INSERT INTO left_out_days BY NAME
WITH ${LOADS_OF_COMPUTATION},
decided AS (SELECT source_id, unit, ended_on FROM decided_units WHERE org_id = $org),
unit_days AS (
  ${SPEND.map(
    (
      table,
    ) => `SELECT '${table}' AS spent_in, source_id, ${unitOf(table)} AS unit, day FROM ${loadedRows(table)}
  GROUP BY ALL HAVING sum(cost) <> 0`,
  ).join('\n  UNION ALL ')}),
lives AS (
  SELECT unit_days.*, COALESCE(day > ended_on, false) AS has_ended FROM unit_days LEFT JOIN decided USING (source_id, unit))
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, source_id, unit, day
FROM lives WHERE has_ended AND EXISTS (
  FROM lives AS other WHERE other.spent_in = lives.spent_in AND other.unit = lives.unit AND other.day = lives.day
    AND other.source_id <> lives.source_id AND NOT other.has_ended)`;
