import { monthOf, type Day, type Month } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import { idAfter } from './ids.ts';
import { recordLoadFiles } from './load-files.ts';
import type { Session } from './session.ts';

/** Which source a load is of, which months it may touch, and as of when. */
export interface LoadScope {
  orgId: string;
  sourceId: string;
  runId: string;
  /** Months outside these are left alone. */
  startMonth: Month | null;
  endMonth: Month | null;
  /** Whether days that an earlier load had, and the source no longer has, may go. */
  acceptShrink: boolean;
  now: Date;
  /** The files that are read, as paths or URLs; an API has none. */
  readFrom?: readonly string[];
}

/** An id that sorts after every load of the source so far: the newest reading is the current one. */
export const newLoadId = async (
  session: Session,
  { orgId, sourceId }: Pick<LoadScope, 'orgId' | 'sourceId'>,
): Promise<string> => {
  const [newest] = await session.query<{ load_id: string | null }>(
    'SELECT max(load_id) AS load_id FROM loads WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  return idAfter(newest?.load_id ?? null);
};

/**
 * Publishes a load for each month that the temporary table `load_days` (day, cost, row_count) has: by one statement,
 * before which nobody sees a row. Answers the months, oldest first, and their money. Throws when the attempt was
 * given up.
 */
export const publishLoad = async (
  session: Session,
  scope: LoadScope,
  loadId: string,
  isCurrent: () => boolean,
): Promise<{ months: Month[]; costTotal: DecimalText }> => {
  const published = await session.query<{ month: Day; cost: DecimalText }>(
    `SELECT CAST(date_trunc('month', day) AS DATE) AS month, sum(sum(cost)) OVER () AS cost
     FROM load_days GROUP BY month ORDER BY month`,
  );
  if (!isCurrent()) throw new Error('this attempt was given up; nothing was published');
  await recordLoadFiles(session, scope, loadId);
  await session.run(PUBLISH, {
    org: scope.orgId,
    source: scope.sourceId,
    load: loadId,
    run: scope.runId,
    now: scope.now.toISOString(),
  });
  return { months: published.map(({ month }) => monthOf(month)), costTotal: published[0]?.cost ?? '0' };
};

// What lies in the future is a plan: nothing is delivered before its day has begun.
const PUBLISH = `
INSERT INTO loads BY NAME
SELECT $org AS org_id, $source AS source_id, CAST(date_trunc('month', day) AS DATE) AS billing_period,
  $load::UUID AS load_id, $run AS run_id, $now::TIMESTAMP AS published_at, CAST(NULL AS VARCHAR) AS cost_column,
  CAST(sum(row_count) AS BIGINT) AS rows_read, sum(cost) AS cost_total, min(day) AS first_day, max(day) AS last_day,
  least(max(day), CAST($now::TIMESTAMP AS DATE)) AS delivered_through
FROM load_days GROUP BY billing_period`;
