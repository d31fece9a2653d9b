import { firstDay, lastDay } from '../../domain/shared/calendar.ts';
import { computeSpend } from '../spend/compute-spend.ts';
import { ACCOUNT_NAMES } from '../spend/costs.ts';
import { COUNTED_DAYS } from '../spend/daily-spend.ts';
import { OWNERS } from '../spend/picks/ownership.ts';
import { SPEND_KEYS } from '../spend/picks/pick-key.ts';
import type { ExportRequest } from './export-request.ts';
import type { Columns, ExportRows } from './export-rows.ts';

/** The columns of FOCUS that the warehouse holds, and its own with the prefix that FOCUS leaves to providers. */
const COLUMNS = {
  ChargePeriodStart: 'TIMESTAMPTZ',
  ChargePeriodEnd: 'TIMESTAMPTZ',
  EffectiveCost: 'DECIMAL(38,15)',
  BillingCurrency: 'VARCHAR',
  ProviderName: 'VARCHAR',
  SubAccountId: 'VARCHAR',
  SubAccountName: 'VARCHAR',
  ServiceName: 'VARCHAR',
  x_ResourceGroupName: 'VARCHAR',
  x_TagKey: 'VARCHAR',
  x_TagValue: 'VARCHAR',
  x_Source: 'VARCHAR',
  x_Cluster: 'VARCHAR',
  x_Namespace: 'VARCHAR',
  x_Workload: 'VARCHAR',
  x_Host: 'VARCHAR',
  x_HostService: 'VARCHAR',
  x_Tool: 'VARCHAR',
  x_Repository: 'VARCHAR',
  x_Team: 'VARCHAR',
  x_TeamId: 'VARCHAR',
  x_SharedCost: 'VARCHAR',
  x_SharedCostId: 'VARCHAR',
} as const satisfies Columns;

/**
 * Returns the counted spend of some months by day, everything that it can be grouped by, and owner: every dollar once, so that
 * the rows of a month add up to its `/costs` (design §2). Rows of 0 are left out. Shared costs are not split.
 */
export const spendExport = async ({
  warehouse,
  organisation,
  start,
  end,
  now,
  noteUpdates,
}: ExportRequest): Promise<ExportRows> => {
  noteUpdates(await computeSpend(warehouse, organisation.id, now));
  return {
    columns: COLUMNS,
    select: SPEND,
    parameters: {
      org: organisation.id,
      currency: organisation.currency,
      start: firstDay(start),
      end: lastDay(end),
    },
  };
};

// A bill line that is cluster or host spend keeps its account, so that a month of an account adds up to its bill.
const SPEND = `
WITH ${COUNTED_DAYS},
rolled_up AS (SELECT * EXCLUDE (cost), sum(cost) AS cost FROM counted GROUP BY ALL HAVING sum(cost) <> 0),
spend AS (SELECT *, ${SPEND_KEYS} AS keys FROM rolled_up),
${OWNERS},
${ACCOUNT_NAMES}
SELECT CAST(day AS TIMESTAMP) AS "ChargePeriodStart", CAST(day + 1 AS TIMESTAMP) AS "ChargePeriodEnd", cost AS "EffectiveCost",
  $currency AS "BillingCurrency", cloud AS "ProviderName", account AS "SubAccountId", name AS "SubAccountName",
  CASE WHEN split_kind = 'service' THEN split_value END AS "ServiceName",
  CASE WHEN split_kind = 'resource_group' THEN split_value END AS "x_ResourceGroupName",
  tag_key AS "x_TagKey", tag_value AS "x_TagValue", source AS "x_Source", cluster AS "x_Cluster", namespace AS "x_Namespace",
  workload AS "x_Workload", host AS "x_Host", host_service AS "x_HostService", tool AS "x_Tool", repository AS "x_Repository",
  CASE WHEN user_type = 'team' THEN user_name END AS "x_Team", CASE WHEN user_type = 'team' THEN user_id END AS "x_TeamId",
  CASE WHEN user_type = 'shared cost' THEN user_name END AS "x_SharedCost",
  CASE WHEN user_type = 'shared cost' THEN user_id END AS "x_SharedCostId"
FROM spend LEFT JOIN owners USING (keys) LEFT JOIN account_names_now USING (cloud, account)
ORDER BY ALL`;
