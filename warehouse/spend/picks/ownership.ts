import { cte, ctes, type Cte } from '../../engine/sql/cte.ts';
import { PICK_KEY, spendOfKey } from './pick-key.ts';

// Who owns spend (docs/concepts.md#teams-and-owners). Rows are matched by their keys (pick-key.ts); a row has at most three.

/** How specific a key is: workload over namespace, service over host, service or resource group over tag over account. */
const SPECIFICITY = `CASE split_part(key, chr(31), 1)
    WHEN 'workload' THEN 3 WHEN 'service' THEN 3 WHEN 'split' THEN 3 WHEN 'tag' THEN 2 ELSE 1 END`;

/**
 * Returns the one owner of each `keys` of `spend`: whoever has the most specific pick. Among equally specific picks a shared cost
 * wins, then the oldest owner. Spend without an owner has no row.
 */
export const owners = (spend: Cte): Cte =>
  cte({
    name: 'owners',
    needs: [spend],
    sql: `WITH owner_picks AS (
  SELECT DISTINCT user_type, user_id, user_name, ${PICK_KEY} AS key FROM spend_picks
  WHERE org_id = $org AND user_type IN ('team', 'shared cost'))
SELECT keys, user_type, user_id, user_name, ${spendOfKey('key')} AS owned_source
FROM (SELECT keys, unnest(keys) AS key FROM (SELECT DISTINCT keys FROM ${spend.name})) JOIN owner_picks USING (key)
QUALIFY row_number() OVER (PARTITION BY keys ORDER BY ${SPECIFICITY} DESC, user_type = 'team', user_id) = 1`,
  });

/**
 * Returns the statement for the spend of each team and shared cost, by period. A shared cost has one sum for all sources.
 */
export const ownedSpend = (period: 'month' | 'day', spend: Cte): string => `
WITH ${ctes(spend, owners(spend))}
SELECT ${period} AS period, user_type, user_id, CASE WHEN user_type = 'team' THEN owned_source END AS owned_source, sum(cost) AS cost
FROM ${spend.name} JOIN owners USING (keys) GROUP BY ALL`;
