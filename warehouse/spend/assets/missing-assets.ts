import Big from 'big.js';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import type { Session } from '../../engine/session.ts';
import { onDays } from './asset-notes.ts';
import { storeMonthDoubts } from './unmatched-machines.ts';

interface ClusterWithoutAssets {
  month: Day;
  source_id: string;
  cluster: string;
  days: number;
  first_day: Day;
  last_day: Day;
  /** The cost of the allocations, which count in place of the assets. */
  cost: DecimalText;
  /** The cost of the month's own assets, and their days; null if the month has none. */
  asset_cost: DecimalText | null;
  asset_days: number | null;
}

/**
 * Stores a doubt for each cluster and month with allocations, but without assets on some days, while a day before has some. Only
 * the allocations count then, which are a part of the cost. The bill lines of a cluster on a bill are its whole cost. Days before
 * a source first reports assets are as they were.
 */
export async function storeMissingAssets(
  session: Pick<Session, 'query' | 'run'>,
  parameters: { org: string; computation: string },
): Promise<void> {
  const found = await session.query<ClusterWithoutAssets>(CLUSTERS_WITHOUT_ASSETS);
  const doubts = found.map((one) => ({ ...one, phrase: phraseOf(one), amount: amountOf(one) }));
  await storeMonthDoubts(session, parameters, 'assets_missing', doubts);
}

const amountOf = ({ days, cost, asset_cost, asset_days }: ClusterWithoutAssets): DecimalText | null =>
  asset_cost === null || asset_days === null
    ? null
    : Big(asset_cost).times(days).div(asset_days).minus(cost).round(2).toFixed();

function phraseOf(found: ClusterWithoutAssets): string {
  const amount = amountOf(found);
  const estimate = amount === null ? '' : `; by its average assets, an estimated ${amount} is missing`;
  return (
    `has allocations of cluster ${forMessage(found.cluster)} without assets ${onDays(found)}, ` +
    `so that only the allocations count${estimate}`
  );
}

const CLUSTERS_WITHOUT_ASSETS = `
WITH without AS (
  SELECT day, CAST(date_trunc('month', day) AS DATE) AS month, cluster, source_id, borrowed_days.cost
  FROM borrowed_days JOIN cluster_days USING (day, cluster) JOIN reporters USING (day, cluster)
  WHERE has_begun AND NOT is_on_bill),
own AS (
  SELECT CAST(date_trunc('month', day) AS DATE) AS month, cluster, sum(cost) AS asset_cost, CAST(count(DISTINCT day) AS INTEGER) AS asset_days
  FROM assets WHERE NOT is_borrowed AND cluster IS NOT NULL GROUP BY ALL)
SELECT month, source_id, cluster, CAST(count(*) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day, sum(cost) AS cost,
  any_value(asset_cost) AS asset_cost, any_value(asset_days) AS asset_days
FROM without LEFT JOIN own USING (month, cluster) GROUP BY month, source_id, cluster ORDER BY month, source_id, cluster`;
