import { dayOf, monthOf, type Month } from '../../domain/shared/calendar.ts';
import { cte, ctes } from '../engine/sql/cte.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { dropTemporaryTables } from '../engine/sql/temporary-tables.ts';
import type { Session } from '../engine/session.ts';
import { INSERT_ASSET_DECISIONS } from './assets/asset-decisions.ts';
import { storeChargesTwice } from './assets/charges-twice.ts';
import {
  COVERING_TABLES,
  INSERT_BILLED_CLUSTERS,
  INSERT_COVERED_RESOURCES,
} from './assets/covered-resources.ts';
import { storeMissingAssets } from './assets/missing-assets.ts';
import { storeUnmatchedDoubts } from './assets/unmatched-machines.ts';
import { countedLines, LOADS_OF_COMPUTATION } from './counted-spend.ts';
import { INSERT_DISTRIBUTED_SPEND } from './distributed-spend.ts';
import { storeLeftOutDays } from './left-out-days.ts';
import { SPEND_KEYS } from './picks/pick-key.ts';
import { LOADED_MONTHS, staleMonths } from './stale-months.ts';

/**
 * Computes the months that are stale, and stores what counts in them. Returns them, oldest first. Runs in the transaction of its
 * caller.
 */
export async function computeStaleMonths(session: Session, orgId: string, now: Date): Promise<Month[]> {
  const today = dayOf(now);
  const stale = await staleMonths(session, orgId, today);
  const months = stale.map(({ month }) => month);
  if (months.length === 0) return [];
  const [newest] = await session.query<{ id: string | null }>(
    'SELECT max(computation_id) AS id FROM month_computations WHERE org_id = $org',
    { org: orgId },
  );
  const parameters = { org: orgId, computation: idAfter(newest?.id ?? null) };
  await session.run(INSERT_COMPUTED_LOADS, { ...parameters, months });
  await storeLeftOutDays(session, parameters);
  await dropTemporaryTables(session, TABLES);
  try {
    // Statements that only read the tables before them have no parameters.
    for (const statement of Object.values(COVERING_TABLES))
      await session.run(statement, statement.includes('$org') ? parameters : {});
    await session.run(INSERT_COVERED_RESOURCES, parameters);
    await session.run(INSERT_BILLED_CLUSTERS, parameters);
    await session.run(INSERT_ASSET_DECISIONS, parameters);
    await session.run(INSERT_DISTRIBUTED_SPEND, parameters);
    await storeChargesTwice(session, parameters);
    await storeUnmatchedDoubts(session, parameters);
    await storeMissingAssets(session, parameters);
  } finally {
    await dropTemporaryTables(session, TABLES);
  }
  await session.run(INSERT_DAILY_TOTALS, parameters);
  await session.run(INSERT_MONTH_SPEND, { ...parameters, today });
  await session.run(INSERT_COMPUTATIONS, {
    ...parameters,
    months,
    madeOf: stale.map(({ made_of }) => made_of),
    now: now.toISOString(),
  });
  return months.map(monthOf);
}

// After a failed statement the transaction is unusable. Then the next computation drops the tables.
const TABLES = Object.keys(COVERING_TABLES);

/** Notes the current loads of `$months` as those that the computation reads. */
export const INSERT_COMPUTED_LOADS = `
INSERT INTO computed_loads BY NAME
WITH ${ctes(LOADED_MONTHS)}
SELECT $org AS org_id, month, $computation::UUID AS computation_id, load_id, billing_period
FROM loaded_months WHERE list_contains($months::DATE[], month)`;

const INSERT_COMPUTATIONS = `
INSERT INTO month_computations BY NAME
SELECT $org AS org_id, unnest($months)::DATE AS month, $computation::UUID AS computation_id,
  unnest($madeOf) AS made_of, $now::TIMESTAMP AS computed_at`;

const DISTRIBUTED = cte({
  name: 'distributed',
  sql: 'SELECT * FROM distributed_spend WHERE org_id = $org AND computation_id = $computation::UUID',
});

const INSERT_DAILY_TOTALS = `
INSERT INTO daily_totals BY NAME
WITH ${ctes(countedLines(LOADS_OF_COMPUTATION, 'true'), DISTRIBUTED)},
counted AS (
  SELECT month, day, source, cloud, account, cost FROM counted_lines
  UNION ALL SELECT month, day, source, NULL, NULL, cost FROM distributed)
SELECT $org AS org_id, month, $computation::UUID AS computation_id, day, source, cloud, account, sum(cost) AS cost
FROM counted GROUP BY ALL`;

// Plain columns are rolled up first, so that each combination's text keys are made only once.
const INSERT_MONTH_SPEND = `
INSERT INTO month_spend BY NAME
WITH ${ctes(countedLines(LOADS_OF_COMPUTATION, 'day <= $today::DATE'), DISTRIBUTED)},
rolled_up AS (
  SELECT month, source, cloud, account, split_kind, split_value, tag_key, tag_value, cluster,
    namespace, NULL AS workload, host, NULL AS host_service, NULL AS repository, sum(cost) AS cost
  FROM counted_lines GROUP BY ALL
  UNION ALL
  SELECT month, source, NULL, NULL, NULL, NULL, NULL, NULL, cluster, namespace, workload, host, host_service,
    repository, sum(cost)
  FROM distributed WHERE day <= $today::DATE GROUP BY ALL)
SELECT $org AS org_id, $computation::UUID AS computation_id, month, ${SPEND_KEYS} AS keys, sum(cost) AS cost
FROM rolled_up GROUP BY ALL`;
