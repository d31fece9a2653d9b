import type { Day } from '../domain/calendar.ts';
import { dayRanges } from '../domain/day-ranges.ts';
import type { LoadScope } from './publish-load.ts';
import type { Session } from './session.ts';

/** Where what was read of a feed is staged, and where loads keep it. */
interface Feed {
  staged: 'load_days' | 'asset_days' | 'usage_days';
  stored: 'host_spend' | 'kubernetes_spend' | 'cluster_assets' | 'ai_tool_spend' | 'ai_usage';
}

/**
 * Takes over the days that a reading lacks. A load replaces a whole month; what an API was not asked for, and what it
 * or a file no longer has, stays as the current load of the month has it. Touches the months that `load_days` has. The
 * rows join the staged ones with a row count of 0, because an earlier run read them. Returns their days.
 */
export const carryOver = async (
  session: Session,
  { orgId, sourceId }: Pick<LoadScope, 'orgId' | 'sourceId'>,
  { staged, stored }: Feed,
): Promise<Day[]> => {
  await session.run(
    `INSERT INTO temp.main.${staged} BY NAME
     SELECT * EXCLUDE (org_id, source_id, load_id, billing_period), 0 AS row_count
     FROM ${stored} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org AND source_id = $source
       AND billing_period IN (SELECT CAST(date_trunc('month', day) AS DATE) FROM load_days)
       AND day NOT IN (SELECT day FROM ${staged})`,
    { org: orgId, source: sourceId },
  );
  const rows = await session.query<{ day: Day }>(
    `SELECT DISTINCT day FROM temp.main.${staged} WHERE row_count = 0 ORDER BY day`,
  );
  return rows.map(({ day }) => day);
};

/**
 * Takes over the days that the files of a feed lack, with a note; nothing, if the ingest accepts that they go.
 *
 * @param name what the note calls the feed; null where the source has only one.
 */
export const keepEarlierDays = async (
  session: Session,
  scope: LoadScope,
  feed: Feed,
  name: string | null = null,
): Promise<string[]> => {
  if (scope.acceptShrink) return [];
  const days = await carryOver(session, scope, feed);
  if (days.length === 0) return [];
  return [
    `${name === null ? '' : `${name}: `}the files no longer have ${dayRanges(days)}; what was loaded before stays`,
  ];
};
