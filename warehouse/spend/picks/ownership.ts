import { PICK_KEY } from './pick-key.ts';

// Who owns spend (design §2, Teams): rows are looked up by their keys (pick-key.ts), of which they have three at most.

/** How specific a key is: workload over namespace, service over host, service or resource group over tag over account. */
const SPECIFICITY = `CASE split_part(key, chr(31), 1)
    WHEN 'workload' THEN 3 WHEN 'service' THEN 3 WHEN 'split' THEN 3 WHEN 'tag' THEN 2 ELSE 1 END`;

/** Where spend with a key comes from, as `by_source` names it. */
const SOURCE = `CASE split_part(key, chr(31), 1)
    WHEN 'namespace' THEN 'kubernetes' WHEN 'workload' THEN 'kubernetes' WHEN 'host' THEN 'hosts' WHEN 'service' THEN 'hosts'
    WHEN 'idle cluster' THEN 'kubernetes' WHEN 'idle host' THEN 'hosts' WHEN 'repository' THEN 'ai_tools' ELSE 'cloud' END`;

/**
 * The one owner of spend with certain keys, for every `keys` of `spend`: the most specific pick of all teams and shared
 * costs, of equals the shared cost, then the oldest owner. Spend that nobody owns has no row.
 */
export const OWNERS = `owner_picks AS (
  SELECT DISTINCT user_type, user_id, user_name, ${PICK_KEY} AS key FROM spend_picks
  WHERE org_id = $org AND user_type IN ('team', 'shared cost')),
owners AS (
  SELECT keys, user_type, user_id, user_name, ${SOURCE} AS owned_source
  FROM (SELECT keys, unnest(keys) AS key FROM (SELECT DISTINCT keys FROM spend)) JOIN owner_picks USING (key)
  QUALIFY row_number() OVER (PARTITION BY keys ORDER BY ${SPECIFICITY} DESC, user_type = 'team', user_id) = 1)`;

/**
 * The statement for what teams and shared costs own of `spend`, by period. A shared cost has one sum, whatever its sources.
 */
export const ownedSpend = (period: 'month' | 'day', spend: string): string => `
WITH ${spend},
${OWNERS}
SELECT ${period} AS period, user_type, user_id, CASE WHEN user_type = 'team' THEN owned_source END AS owned_source, sum(cost) AS cost
FROM spend JOIN owners USING (keys) GROUP BY ALL`;
