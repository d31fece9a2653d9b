import type { Derived, OrganisationCache } from '../engine/cache/derived-cache.ts';
import type { Queries } from '../engine/session.ts';

/** The tables that say which metrics split costs. */
export const SPLIT_BY = ['shared_cost_versions', 'bill_bases'] as const;

const SPLITTING_METRICS: Derived<string[]> = {
  name: 'metrics that split costs',
  from: SPLIT_BY,
  bytesOf: (ids) => ids.length * 100,
};

/**
 * Returns the metrics by whose values shared costs are split, today or in a sealed month. Bills depend on no other metric's values.
 */
export const splittingMetrics = (
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
): Promise<string[]> =>
  cache.one(SPLITTING_METRICS, 'all', async () => {
    const rows = await session.query<{ metric_id: string }>(
      `SELECT unnest(metric_ids) AS metric_id FROM bill_bases WHERE org_id = $org
      UNION
      SELECT split->>'$.metric_id' FROM shared_costs WHERE org_id = $org AND (split->>'$.type') = 'metric'`,
      { org: orgId },
    );
    return rows.map(({ metric_id }) => metric_id);
  });
