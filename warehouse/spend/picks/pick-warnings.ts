import { computeSpend } from '../compute-spend.ts';
import { PICK_KEY } from './pick-key.ts';
import { COLLECTED_SINCE, USES_CHOICE } from './spend-choices.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Returns warnings about the picks of a metric, team or shared cost: picks that no spend has ever matched, and tag keys and
 * splits whose collection has only begun (spec §1, counting rule 6).
 */
export const pickWarnings = async (
  warehouse: Warehouse,
  orgId: string,
  userId: string,
  now: Date,
): Promise<string[]> => {
  await computeSpend(warehouse, orgId, now);
  const rows = await warehouse.query<{ warning: string }>(
    `WITH ${STORED_PICKS}, ${pickWarningsOf('spend_choices')}`,
    {
      org: orgId,
      user: userId,
    },
  );
  return rows.map(({ warning }) => warning);
};

const STORED_PICKS = `picks AS (SELECT *, ${PICK_KEY} AS key FROM spend_picks WHERE org_id = $org AND user_id = $user)`;

/** Returns CTEs and the SELECT of the warnings about `picks`, with the relation `choices` in the form of spend_choices. */
export const pickWarningsOf = (choices: string): string => `
seen AS (
  SELECT unnest(keys) AS key FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org),
-- If nothing was loaded since the first use of a tag key or split, its spend cannot have been seen.
unseen AS (
  FROM picks ANTI JOIN seen USING (key)
  WHERE NOT EXISTS (FROM ${choices} AS choices WHERE ${USES_CHOICE} AND NOT EXISTS (
    FROM current_loads AS loads WHERE loads.org_id = $org AND loads.kind = 'focus'
      AND loads.load_id > choices.version_id AND loads.last_day >= choices.first_day))),
begun AS (
  SELECT DISTINCT ${COLLECTED_SINCE} || '; earlier months are partial and cannot be locked' AS warning
  FROM ${choices} AS choices JOIN picks ON ${USES_CHOICE}
  WHERE first_day > (SELECT min(first_day) FROM current_loads WHERE org_id = $org))
SELECT 'spend of ' || source || ' ' || concat_ws(' / ', cloud, account, split_value, tag_key || '=' || tag_value, cluster,
    namespace, workload, host, host_service, repository, CASE WHEN idle THEN 'idle' END) || ' has never been seen' AS warning
FROM unseen
UNION ALL SELECT warning FROM begun
ORDER BY warning`;
