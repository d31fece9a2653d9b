import { monthOf, type Day, type Month } from '../domain/calendar.ts';
import type { UncollectedPicks } from '../domain/bill.ts';
import type { Session } from './session.ts';
import { COLLECTED_SINCE, USES_CHOICE } from './spend-choices.ts';

/**
 * The tags and splits that had not been collected for all of some months (their first days), in words, of each team whose
 * bill depends on one: by what it owns, or by a shared cost that it has a part in (spec §1, counting rule 6).
 */
export const uncollectedPicks = async (
  session: Session,
  orgId: string,
  months: readonly Day[],
): Promise<Map<Month, UncollectedPicks>> => {
  if (months.length === 0) return new Map();
  const rows = await session.query<{ month: Day; team_id: string; uncollected: string[] }>(UNCOLLECTED, {
    org: orgId,
    months,
  });
  const byMonth = new Map<Month, UncollectedPicks>();
  for (const { month, team_id, uncollected } of rows)
    byMonth.set(monthOf(month), { ...byMonth.get(monthOf(month)), [team_id]: uncollected });
  return byMonth;
};

const UNCOLLECTED = `
WITH shares AS (
  SELECT shared_cost_id, unnest(list_distinct(list_concat(
    split->>'$.team_ids[*]', split->>'$.shares[*].team_id', split->>'$.labels.*'))) AS team_id
  FROM shared_costs WHERE org_id = $org),
picks AS (
  SELECT user_id AS team_id, * FROM spend_picks WHERE org_id = $org AND user_type = 'team'
  UNION ALL
  SELECT shares.team_id, spend_picks.* FROM spend_picks JOIN shares ON user_id = shared_cost_id WHERE org_id = $org)
SELECT month, team_id, list_sort(list(DISTINCT ${COLLECTED_SINCE})) AS uncollected
FROM picks JOIN spend_choices AS choices ON ${USES_CHOICE}
JOIN (SELECT unnest($months::DATE[]) AS month) ON choices.first_day > month
GROUP BY ALL`;
