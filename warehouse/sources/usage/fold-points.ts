import { addDays, dayOf } from '../../../domain/shared/calendar.ts';
import { MOST_DAYS_LATE } from '../../../domain/sources/otlp/usage-points.ts';
import { ctes } from '../../engine/sql/cte.ts';
import type { Warehouse } from '../../engine/warehouse.ts';
import { countedPoints } from './counted-points.ts';

/** Days after which no point of a day can come any more. Clocks of nodes differ, and a request may be on its way. */
const FINAL_DAYS = MOST_DAYS_LATE + 2;

/** Days for which the points of a deleted source stay (maintenance.ts). */
const GRACE_DAYS = 7;

/**
 * Replaces points of usage that no later point can change by sums of days, which are few. A series that still sends cumulative
 * points keeps all of its own, because the next one adds its difference. Removes the points of deleted sources. No usage of a day
 * changes. Idempotent. Returns the number of removed rows.
 */
export const foldPoints = (warehouse: Warehouse, now: Date): Promise<number> =>
  warehouse.transaction(async (session) => {
    await session.run(`DROP TABLE IF EXISTS temp.main.${FOLDED}`);
    const final = addDays(dayOf(now), -FINAL_DAYS);
    await session.run(
      `CREATE TEMP TABLE ${FOLDED} AS
       WITH ${ctes(countedPoints(`NOT is_sum AND ${HAS_ENDED}`))}
       SELECT org_id, source_id, day, tool, counts, repository, sum(value) AS value FROM counted_points GROUP BY ALL`,
      { final },
    );
    const removed = await session.run(`DELETE FROM usage_points WHERE NOT is_sum AND ${HAS_ENDED}`, {
      final,
    });
    await session.run(
      `INSERT INTO usage_points BY NAME
       SELECT *, uuidv7() AS point_id, CAST(uuid() AS VARCHAR) AS series, false AS is_cumulative, 0 AS start_ns, 0 AS time_ns,
         true AS is_sum FROM temp.main.${FOLDED}`,
    );
    await session.run(`DROP TABLE temp.main.${FOLDED}`);
    return removed + (await session.run(DELETE_OF_DELETED, { now: now.toISOString() }));
  });

const FOLDED = 'folded_points';

const HAS_ENDED = `(org_id, source_id, series, start_ns) IN (
  SELECT (org_id, source_id, series, start_ns) FROM usage_points WHERE NOT is_sum
  GROUP BY org_id, source_id, series, start_ns HAVING max(day) < $final::DATE)`;

const DELETE_OF_DELETED = `
DELETE FROM usage_points WHERE (org_id, source_id) IN (
  SELECT (org_id, source_id) FROM cost_source_versions
  WHERE deleted AND changed_at < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY)`;
