import { cte, ctes, type Cte } from '../engine/sql/cte.ts';
import { PICK_KEY } from './picks/pick-key.ts';

/**
 * Returns the distinct `combinations` of picked keys in `spend` (row_id, month, keys, cost), and the scopes that match each, as
 * `matches`. The keys of the scopes are in `picks` (scope_id, key). Each scope gets each combination once, even if several of its
 * picks match.
 */
export function pickedCombinations(spend: Cte, picks: Cte): Cte[] {
  const combinations = cte({
    name: 'combinations',
    needs: [spend, picks],
    sql: `WITH picked_keys AS (
  SELECT row_id, month, cost, key FROM (SELECT row_id, month, cost, unnest(keys) AS key FROM ${spend.name})
  SEMI JOIN ${picks.name} USING (key))
SELECT row_number() OVER () AS combination, month, keys, sum(cost) AS cost
FROM (SELECT month, list(key ORDER BY key) AS keys, any_value(cost) AS cost FROM picked_keys GROUP BY row_id, month)
GROUP BY month, keys`,
  });
  const matches = cte({
    name: 'matches',
    needs: [combinations, picks],
    sql: `SELECT DISTINCT scope_id, combination
  FROM (SELECT combination, unnest(keys) AS key FROM combinations) JOIN ${picks.name} USING (key)`,
  });
  return [combinations, matches];
}

export const picksOf = (scopes: Cte): Cte =>
  cte({
    name: 'picks',
    needs: [scopes],
    sql: `SELECT DISTINCT scope_id, ${PICK_KEY} AS key FROM spend_picks WHERE org_id = $org
    AND scope_id IN (SELECT scope_id FROM ${scopes.name})`,
  });

/** The scopes and computed months without a stored cost. */
const MISSING = cte({
  name: 'missing',
  sql: `SELECT * FROM (
    SELECT DISTINCT md5(scope) AS scope_id, scope->>'$.type' AS type FROM metrics
    WHERE org_id = $org AND (scope->>'$.type') <> 'team')
  CROSS JOIN (SELECT month, computation_id FROM current_computations WHERE org_id = $org)
  ANTI JOIN (FROM scope_costs WHERE org_id = $org) USING (scope_id, month, computation_id)`,
});

const SPEND = cte({
  name: 'spend',
  needs: [MISSING],
  sql: `SELECT row_number() OVER () AS row_id, month, keys, cost FROM month_spend
  WHERE org_id = $org AND (month, computation_id) IN (SELECT month, computation_id FROM missing)`,
});

/**
 * Stores the missing costs of every scope of an organisation's metrics in every computed month. One statement serves all metrics
 * and months. A stored cost never becomes wrong, because neither a scope's text nor a computation ever changes
 * (docs/design.md#months). With team scope the cost is the bill's (bills.ts).
 *
 * The statement first rolls the spend up to the distinct combinations of picked keys, so that few rows are left. Then each
 * scope gets each combination once, even if several of its picks match: a dollar counts once. The work grows with spend plus
 * picks, not with their product.
 */
export const INSERT_SCOPE_COSTS = `
INSERT INTO scope_costs BY NAME
WITH ${ctes(MISSING, SPEND, ...pickedCombinations(SPEND, picksOf(MISSING)))},
costs AS (
  SELECT scope_id, 'spend' AS type, month, sum(cost) AS cost FROM matches JOIN combinations USING (combination) GROUP BY ALL
  UNION ALL
  SELECT scope_id, type, month, sum(cost) FROM missing JOIN spend USING (month) WHERE type = 'organisation' GROUP BY ALL)
SELECT $org AS org_id, scope_id, month, computation_id, COALESCE(cost, 0) AS cost
FROM missing LEFT JOIN costs USING (scope_id, type, month)`;

/** Selects whether any scope's cost in a computed month is missing. */
export const SCOPE_COSTS_MISSING = `
SELECT count(*) > 0 AS missing
FROM (SELECT DISTINCT md5(scope) AS scope_id FROM metrics WHERE org_id = $org AND (scope->>'$.type') <> 'team')
CROSS JOIN (SELECT month, computation_id FROM current_computations WHERE org_id = $org)
ANTI JOIN (FROM scope_costs WHERE org_id = $org) USING (scope_id, month, computation_id)`;
