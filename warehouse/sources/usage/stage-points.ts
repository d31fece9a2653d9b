import { ctes } from '../../engine/sql/cte.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';
import type { Session } from '../../engine/session.ts';
import { isWanted, readingBounds } from '../feeds/wanted-months.ts';
import type { Load } from '../publishing/load.ts';
import { MONTH } from '../publishing/publish-load.ts';
import { countedPoints } from './counted-points.ts';

/** Repositories of a source and month that keep their name. The usage of others counts, but belongs to no repository. */
const MOST_REPOSITORIES = 10_000;

/**
 * Selects the months of which programs have sent usage that the source's current loads lack. Needs `point_days`, and binds `$org`
 * and `$source`. Days of a tool with usage from files keep that.
 */
export const NEWS_OF_POINTS = `
  SELECT DISTINCT ${MONTH} AS month FROM (
    SELECT day, tool, repository, usage FROM point_days
    WHERE (day, tool) NOT IN (SELECT (day, tool) FROM ai_usage JOIN current_loads USING (org_id, source_id, load_id, billing_period)
      WHERE org_id = $org AND source_id = $source AND origin IS NULL)
    EXCEPT
    SELECT day, tool, repository, usage FROM ai_usage JOIN current_loads USING (org_id, source_id, load_id, billing_period)
    WHERE org_id = $org AND source_id = $source AND origin = 'points')`;

/**
 * Sums the usage that programs have sent to a source into the temporary table `point_days`, by day, tool and repository. Cost
 * counts. Tokens count on days of a tool without cost, because one day of a tool has one unit.
 */
export async function sumPoints(session: Session, load: Load): Promise<void> {
  await dropTemporaryTables(session, ['point_days']);
  const { last_day: _, ...bounds } = readingBounds(load);
  await session.run(POINT_DAYS, { org: load.orgId, source: load.sourceId, ...bounds });
}

const POINT_DAYS = `
CREATE TEMP TABLE point_days AS
WITH ${ctes(countedPoints('org_id = $org AND source_id = $source'))},
sums AS (
  SELECT day, tool, counts, repository, sum(value) AS usage FROM counted_points WHERE ${isWanted('day')} GROUP BY ALL),
with_cost AS (SELECT DISTINCT day, tool FROM sums WHERE counts = 'cost' AND usage > 0),
chosen AS (
  SELECT sums.* FROM sums LEFT JOIN with_cost USING (day, tool) WHERE (counts = 'cost') = (with_cost.day IS NOT NULL)),
named AS (
  SELECT ${MONTH} AS month, repository FROM chosen WHERE repository IS NOT NULL GROUP BY 1, 2
  QUALIFY row_number() OVER (PARTITION BY month ORDER BY sum(usage) DESC, repository) <= ${MOST_REPOSITORIES})
SELECT day, tool, named.repository, CAST(least(sum(usage), 1e12) AS DECIMAL(38,6)) AS usage
FROM chosen LEFT JOIN named ON named.month = ${MONTH} AND named.repository = chosen.repository
GROUP BY ALL`;

/**
 * Puts `point_days` into the staged usage: in place of what was sent before, and of what a vendor counts without repositories. On
 * days of a tool with usage from files, that counts alone, because the units may differ.
 */
export async function mergePoints(session: Session): Promise<void> {
  await session.run(
    `DELETE FROM temp.main.usage_days
     WHERE origin = 'points' OR (origin = 'vendor' AND (day, tool) IN (SELECT (day, tool) FROM point_days WHERE usage > 0))`,
  );
  await session.run(
    `INSERT INTO temp.main.usage_days BY NAME
     SELECT *, 'points' AS origin, 0 AS row_count FROM point_days
     WHERE (day, tool) NOT IN (SELECT (day, tool) FROM usage_days)`,
  );
}
