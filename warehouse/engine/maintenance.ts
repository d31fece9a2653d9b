import type { Warehouse } from './warehouse.ts';

/** How long what a load replaced can still be compared with it (design §2). */
const GRACE_DAYS = 7;

const SPEND_TABLES = [
  'cloud_spend',
  'account_names',
  'bill_days',
  'kubernetes_spend',
  'cluster_assets',
  'host_spend',
  'ai_tool_spend',
  'ai_usage',
] as const;

const COMPUTED_TABLES = [
  'computed_loads',
  'asset_decisions',
  'billed_clusters',
  'covered_resources',
  'distributed_spend',
  'daily_totals',
  'month_spend',
  'scope_costs',
  'scope_day_costs',
  'owner_day_costs',
] as const;

/**
 * Removes spend rows that nothing refers to any more: of loads that a newer one replaced, of sources that were
 * deleted, of attempts that died before they published, and of computations that a newer one replaced, each after
 * the grace period. Reads never see such rows, so nobody's numbers change; run again, it finds nothing. Answers how many rows went.
 */
export const removeDeadSpend = (warehouse: Warehouse, now: Date): Promise<number> =>
  warehouse.session(async (session) => {
    let removed = 0;
    for (const table of SPEND_TABLES) {
      removed += await session.run(
        `DELETE FROM ${table} WHERE (org_id, source_id, load_id, billing_period) IN (${deadLoads(table)})`,
        { now: now.toISOString() },
      );
    }
    for (const table of COMPUTED_TABLES) {
      removed += await session.run(
        `DELETE FROM ${table} WHERE (org_id, month, computation_id) IN (${REPLACED_COMPUTATIONS})`,
        { now: now.toISOString() },
      );
    }
    removed += await session.run(DELETE_DEAD_LOAD_FILES);
    return removed;
  });

/** What a load read is of interest while it counts; an attempt under way is young, and not published yet. */
const DELETE_DEAD_LOAD_FILES = `
DELETE FROM load_files WHERE (org_id, source_id, load_id) IN (
  SELECT org_id, source_id, load_id
  FROM (SELECT DISTINCT org_id, source_id, load_id FROM load_files) AS stored
  ANTI JOIN current_loads USING (org_id, source_id, load_id)
  WHERE EXISTS (FROM loads WHERE loads.org_id = stored.org_id AND loads.source_id = stored.source_id AND loads.load_id = stored.load_id)
    OR CAST(uuid_extract_timestamp(load_id) AS TIMESTAMP) < CAST(now() AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY)`;

// An attempt that never published has no instant but the one in its id, which is the machine's and not CLOCK's.
const deadLoads = (table: (typeof SPEND_TABLES)[number]): string => `
  WITH stored AS (SELECT DISTINCT org_id, source_id, load_id, billing_period FROM ${table}),
  dead AS (
    SELECT stored.*,
      CASE WHEN published.load_id IS NULL
        THEN CAST(uuid_extract_timestamp(stored.load_id) AS TIMESTAMP) < CAST(now() AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY
        ELSE LEAST(
          (SELECT min(newer.published_at) FROM loads AS newer
           WHERE newer.org_id = stored.org_id AND newer.source_id = stored.source_id
             AND newer.billing_period = stored.billing_period AND newer.load_id > stored.load_id),
          (SELECT min(version.changed_at) FROM cost_source_versions AS version
           WHERE version.org_id = stored.org_id AND version.source_id = stored.source_id AND version.deleted))
          < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY
      END AS is_over
    FROM stored
    LEFT JOIN loads AS published USING (org_id, source_id, load_id, billing_period)
    ANTI JOIN current_loads USING (org_id, source_id, load_id, billing_period))
  SELECT org_id, source_id, load_id, billing_period FROM dead WHERE is_over`;

const REPLACED_COMPUTATIONS = `
  SELECT org_id, month, computation_id FROM (
    SELECT *, lead(computed_at) OVER (PARTITION BY org_id, month ORDER BY computation_id) AS replaced_at FROM month_computations)
  WHERE replaced_at < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY`;

/** How long it can be seen what became of an event's delivery. */
const DELIVERY_DAYS = 90;

/**
 * Removes what is left of deliveries that ended long ago, and the secrets of webhooks that were deleted, and those that
 * were replaced and sign no more. Events stay, so that no fact is told twice. Run again, it finds nothing; answers how many rows went.
 */
export const removeOldDeliveries = (warehouse: Warehouse, now: Date): Promise<number> =>
  warehouse.transaction(async (session) => {
    let removed = 0;
    // The states are what the others are found by: they go last.
    for (const table of ['webhook_attempts', 'webhook_delivery_starts', 'webhook_delivery_states'] as const) {
      removed += await session.run(
        `DELETE FROM ${table} WHERE (org_id, webhook_id, event_id) IN (
          SELECT org_id, webhook_id, event_id FROM webhook_deliveries
          WHERE status <> 'pending' AND changed_at < CAST($now AS TIMESTAMP) - INTERVAL ${DELIVERY_DAYS} DAY)`,
        { now: now.toISOString() },
      );
    }
    removed += await session.run(DELETE_DEAD_SECRETS, { now: now.toISOString() });
    return removed;
  });

const DELETE_DEAD_SECRETS = `
DELETE FROM webhook_secrets WHERE secret_id IN (
  SELECT secret_id FROM (
    SELECT org_id, webhook_id, secret_id,
      lead(created_at) OVER (PARTITION BY org_id, webhook_id ORDER BY secret_id) AS replaced_at
    FROM webhook_secrets)
  LEFT JOIN webhooks USING (org_id, webhook_id)
  WHERE webhooks.webhook_id IS NULL OR replaced_at < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY)`;

/**
 * Gives space back: a checkpoint of the DuckDB file; for DuckLake rows kept in the catalog are written out, small
 * files merged, and old snapshots with their files dropped.
 */
export const compact = (warehouse: Warehouse): Promise<void> =>
  warehouse.session(async (session) => {
    if (!warehouse.isDuckLake) {
      await session.run('CHECKPOINT warehouse');
      return;
    }
    await session.run(`CALL ducklake_flush_inlined_data('warehouse')`);
    await session.run(`CALL ducklake_merge_adjacent_files('warehouse')`);
    const old = `older_than => now() - INTERVAL ${GRACE_DAYS} DAY`;
    await session.run(`CALL ducklake_expire_snapshots('warehouse', ${old})`);
    await session.run(`CALL ducklake_cleanup_old_files('warehouse', ${old})`);
  });
