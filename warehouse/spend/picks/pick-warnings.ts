import { kindsThat } from '../../../domain/sources/kinds.ts';
import { choicesOf, type SpendPick } from '../../../domain/spend/spend-pick.ts';
import { ctes, type Cte } from '../../engine/sql/cte.ts';
import { sqlTexts } from '../../engine/sql/sql-text.ts';
import type { Warehouse } from '../../engine/warehouse.ts';
import { computeMonths } from '../compute-spend.ts';
import { GIVEN_PICKS } from './given-picks.ts';
import { COLLECTED_SINCE, USES_CHOICE } from './spend-choices.ts';

/**
 * Returns warnings about the stored picks of a metric, team or shared cost: picks that no spend has ever matched, and tag keys
 * and splits whose collection has only begun (docs/concepts.md#tags-services-and-resource-groups).
 *
 * @param stored resolves once the picks are stored. Most warnings need not wait for it.
 */
export async function pickWarnings(
  warehouse: Warehouse,
  orgId: string,
  picks: readonly SpendPick[],
  now: Date,
  stored: Promise<unknown> = Promise.resolve(),
): Promise<string[]> {
  if (picks.length === 0) return [];
  const needsChoices = choicesOf(picks, 'spend').length > 0;
  if (needsChoices) await stored;
  await computeMonths(warehouse, orgId, now);
  const rows = await warehouse.query<{ warning: string }>(
    needsChoices ? WARNINGS : WARNINGS_WITHOUT_CHOICES,
    {
      org: orgId,
      picks: JSON.stringify(picks),
    },
  );
  return rows.map(({ warning }) => warning);
}

const KINDS_OF_BILLS = sqlTexts(kindsThat(({ spend }) => spend === 'cloud'));

/** Returns the statement of the warnings about the given picks, with the relation `choices` in the form of spend_choices. */
export const pickWarningsOf = (choices: string, ...needs: readonly Cte[]): string => `
WITH ${ctes(GIVEN_PICKS, ...needs)},
seen AS (
  SELECT unnest(keys) AS key FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org),
-- If nothing was loaded since the first use of a tag key or split, its spend cannot have been seen.
unseen AS (
  FROM given_picks AS picks ANTI JOIN seen USING (key)
  WHERE NOT EXISTS (FROM ${choices} AS choices WHERE ${USES_CHOICE} AND NOT EXISTS (
    FROM current_loads AS loads WHERE loads.org_id = $org AND loads.kind IN ${KINDS_OF_BILLS}
      AND loads.load_id > choices.version_id AND loads.last_day >= choices.first_day))),
begun AS (
  SELECT DISTINCT ${COLLECTED_SINCE} || '; earlier months are partial and cannot be locked' AS warning
  FROM ${choices} AS choices JOIN given_picks AS picks ON ${USES_CHOICE}
  WHERE first_day > (SELECT min(first_day) FROM current_loads WHERE org_id = $org))
SELECT 'spend of ' || source || ' ' || concat_ws(' / ', cloud, account, split_value, tag_key || '=' || tag_value, cluster,
    namespace, workload, host, host_service, repository, CASE WHEN idle THEN 'idle' END) || ' has never been seen' AS warning
FROM unseen
UNION ALL SELECT warning FROM begun
ORDER BY warning`;

const WARNINGS = pickWarningsOf('(FROM spend_choices WHERE org_id = $org)');

/** Most picks need no choices, which take half of the time. */
const WARNINGS_WITHOUT_CHOICES = pickWarningsOf('(FROM spend_choices WHERE false)');
