import type { Day } from '../../../domain/shared/calendar.ts';
import { dayRanges } from '../../../domain/shared/day-ranges.ts';
import { keepLoadFiles } from './load-files.ts';
import type { Load } from './load.ts';
import { keepRejected } from './rejected-doubts.ts';
import { MAIN_FEED } from '../feeds/rejected-when.ts';
import { MONTH } from './publish-load.ts';
import type { Session } from '../../engine/session.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';

/** The table that stages a feed, and the table in which loads store it. */
interface Feed {
  staged: 'load_days' | 'asset_days' | 'usage_days';
  stored: 'host_spend' | 'kubernetes_spend' | 'cluster_assets' | 'ai_tool_spend' | 'ai_usage';
  /** The feed's name in messages; absent if the source has only one, and for its spend. */
  name?: string;
}

/**
 * Copies the days that a reading lacks from the current load of their month, because a load replaces a whole month. These are
 * days that an API was not asked for, and days that it or a file no longer has. Only months in `load_days` are affected. The
 * copied rows join the staged ones with a row count of 0, because an earlier run read them. If their day had not ended then, it
 * is still not whole. Returns their days.
 */
export async function carryOver(session: Session, load: Load, feed: Feed): Promise<Day[]> {
  await takeOver(session, load, feed, `SELECT ${MONTH} FROM load_days`);
  const rows = await session.query<{ day: Day }>(
    `SELECT DISTINCT day FROM temp.main.${feed.staged} WHERE row_count = 0 ORDER BY day`,
  );
  return rows.map(({ day }) => day);
}

/**
 * Loads months again that only the second feed of a source has rows of, if the source has a load of them. Both feeds keep all
 * days that were not read. Usage and assets often arrive after the spend of a month's last day.
 *
 * @param others selects further months, with `$org` and `$source`.
 */
export async function keepLateMonths(
  session: Session,
  load: Load,
  { spend, late }: { spend: Feed; late: Feed },
  others = 'SELECT NULL AS month LIMIT 0',
): Promise<void> {
  await dropTemporaryTables(session, ['late_months']);
  await session.run(
    `CREATE TEMP TABLE late_months AS
     FROM (SELECT ${MONTH} AS month FROM ${late.staged} UNION ${others})
     WHERE month NOT IN (SELECT ${MONTH} FROM ${spend.staged})`,
    others.includes('$org') ? { org: load.orgId, source: load.sourceId } : {},
  );
  const lateMonths = 'SELECT month FROM late_months';
  await takeOver(session, load, late, lateMonths);
  await takeOver(session, load, spend, lateMonths);
}

/**
 * Leaves out rows of another month than their load's. They only lend assets (opencost-load.ts), and a run reads them again or
 * drops them. Usage costs nothing, so that its files need no record.
 */
async function takeOver(
  session: Session,
  load: Load,
  { staged, stored, name = MAIN_FEED }: Feed,
  months: string,
): Promise<void> {
  await keepRejected(session, load, name, { staged, stored, months });
  const taken = await session.run(
    `INSERT INTO temp.main.${staged} BY NAME
     SELECT ${stored}.* EXCLUDE (org_id, source_id, load_id, billing_period), 0 AS row_count
     FROM ${stored} JOIN current_loads USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org AND source_id = $source AND billing_period IN (${months})
       AND billing_period = date_trunc('month', day) AND day NOT IN (SELECT day FROM ${staged})`,
    { org: load.orgId, source: load.sourceId },
  );
  if (taken > 0 && stored !== 'ai_usage') await keepLoadFiles(session, load, staged);
}

/** Carries over the days that the files of a feed lack, and returns a note. Does nothing if the ingest accepts their loss. */
export async function keepEarlierDays(session: Session, load: Load, feed: Feed): Promise<string[]> {
  if (load.acceptShrink) return [];
  const days = await carryOver(session, load, feed);
  if (days.length === 0) return [];
  return [
    `${feed.name === undefined ? '' : `${feed.name}: `}the files no longer have ${dayRanges(days)}; what was loaded before stays`,
  ];
}
