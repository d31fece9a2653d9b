import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { UncollectedPicks } from '../../domain/teams/bill.ts';
import type { Queries } from '../engine/session.ts';
import { COLLECTED_SINCE, TAKEN_SINCE, USES_CHOICE } from '../spend/picks/spend-choices.ts';

/**
 * Returns the tags and splits that a team's bill depends on and that were not collected for the whole month, in words. It does
 * so for some months (their first days) and every team (docs/concepts.md#tags-services-and-resource-groups). A bill depends on
 * those of the team's own picks, and of shared costs in which it has a part. It also depends on another owner's tag or split
 * that takes spend from a less specific pick: before that was collected the bill has the spend, and afterwards it has not.
 */
export async function uncollectedPicks(
  session: Queries,
  orgId: string,
  months: readonly Day[],
): Promise<Map<Month, UncollectedPicks>> {
  if (months.length === 0) return new Map();
  const rows = await session.query<{ month: Day; team_id: string; uncollected: string[] }>(UNCOLLECTED, {
    org: orgId,
    months,
  });
  const byMonth = new Map<Month, UncollectedPicks>();
  for (const { month, team_id, uncollected } of rows)
    byMonth.set(monthOf(month), { ...byMonth.get(monthOf(month)), [team_id]: uncollected });
  return byMonth;
}

const UNCOLLECTED = `
WITH shares AS (
  SELECT shared_cost_id, unnest(list_distinct(list_concat(
    split->>'$.team_ids[*]', split->>'$.shares[*].team_id', split->>'$.labels.*'))) AS team_id
  FROM shared_costs WHERE org_id = $org),
picks AS (
  SELECT user_id AS team_id, * FROM spend_picks WHERE org_id = $org AND user_type = 'team'
  UNION ALL
  SELECT shares.team_id, spend_picks.* FROM spend_picks JOIN shares ON user_id = shared_cost_id WHERE org_id = $org),
late AS (
  SELECT month, choices.* FROM spend_choices AS choices
  JOIN (SELECT unnest($months::DATE[]) AS month) ON choices.first_day > month WHERE org_id = $org),
needed AS (
  SELECT DISTINCT month, team_id, choices.kind, choices.cloud, choices.account, ${COLLECTED_SINCE} AS since
  FROM picks JOIN late AS choices ON ${USES_CHOICE}),
taking AS (
  SELECT * FROM late AS choices WHERE first_day <= last_day(month) AND EXISTS (
    FROM spend_picks AS picks WHERE user_type IN ('team', 'shared cost') AND ${USES_CHOICE})),
-- A tag takes spend from accounts of its cloud. A split takes spend from its account and from every tag.
taken AS (
  SELECT month, team_id, choices.kind, choices.cloud, choices.account, ${TAKEN_SINCE} AS since
  FROM picks JOIN taking AS choices ON picks.cloud = choices.cloud AND picks.split_kind IS NULL
    AND CASE choices.kind WHEN 'tag' THEN picks.tag_key IS NULL
      ELSE picks.tag_key IS NOT NULL OR picks.account = choices.account END)
SELECT month, team_id, list_sort(list(DISTINCT since)) AS uncollected
FROM (FROM needed UNION ALL FROM taken ANTI JOIN needed USING (month, team_id, kind, cloud, account))
GROUP BY ALL`;
