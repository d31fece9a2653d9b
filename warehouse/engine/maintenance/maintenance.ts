import { flushOf } from './erasure.ts';
import { CATALOG } from '../location.ts';
import { sqlText } from '../sql/sql-text.ts';
import { tableNames } from '../sql/table-names.ts';
import type { Warehouse } from '../warehouse.ts';

/** Days for which replaced rows stay, so that they can be compared with the new ones (docs/design.md#rows-are-only-inserted). */
const GRACE_DAYS = 7;

/** The tables with rows of loads. */
export const SPEND_TABLES = [
  'cloud_spend',
  'account_names',
  'bill_days',
  'bill_values',
  'kubernetes_spend',
  'cluster_assets',
  'host_spend',
  'ai_tool_spend',
  'ai_usage',
  'load_doubts',
  'left_out_bills',
  'load_commitments',
  'load_units',
  'rejected_days',
  'unread_periods',
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
  'month_doubts',
  'left_out_days',
] as const;

/**
 * Removes spend rows of replaced loads, deleted sources, attempts that died before they published, and replaced computations,
 * after the grace period. Reads never see these rows, so that no number changes. Idempotent. Returns the number of removed rows.
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
    removed += await session.run(DELETE_DEAD_READINGS, { now: now.toISOString() });
    return removed;
  });

/** Removes the file names of loads that do not count. A running load keeps them, because it is unpublished and young. */
const DELETE_DEAD_LOAD_FILES = `
DELETE FROM load_files WHERE (org_id, source_id, load_id) IN (
  SELECT org_id, source_id, load_id
  FROM (SELECT DISTINCT org_id, source_id, load_id FROM load_files) AS stored
  ANTI JOIN current_loads USING (org_id, source_id, load_id)
  WHERE EXISTS (FROM loads WHERE loads.org_id = stored.org_id AND loads.source_id = stored.source_id AND loads.load_id = stored.load_id)
    OR CAST(uuid_extract_timestamp(load_id) AS TIMESTAMP) < CAST(now() AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY)`;

/** Removes what replaced loads were read from. Only the newest reading of a source says what its next run must read. */
const DELETE_DEAD_READINGS = `
DELETE FROM source_readings WHERE (org_id, source_id, load_id) IN (
  SELECT org_id, source_id, load_id FROM source_readings AS reading
  WHERE NOT EXISTS (FROM cost_sources WHERE cost_sources.org_id = reading.org_id AND cost_sources.source_id = reading.source_id)
    OR EXISTS (
      FROM source_readings AS newer
      WHERE newer.org_id = reading.org_id AND newer.source_id = reading.source_id AND newer.load_id > reading.load_id
        AND newer.read_at < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY))`;

// The only instant of an unpublished attempt is in its id. It comes from the machine's clock, not from CLOCK.
const deadLoads = (table: (typeof SPEND_TABLES)[number]): string => `
  WITH stored AS (SELECT DISTINCT org_id, source_id, load_id, billing_period FROM ${table}),
  readings AS (
    SELECT org_id, source_id, load_id, billing_period, published_at FROM loads
    UNION ALL SELECT org_id, source_id, load_id, billing_period, published_at FROM unread_periods),
  dead AS (
    SELECT stored.*,
      CASE WHEN published.load_id IS NULL
        THEN CAST(uuid_extract_timestamp(stored.load_id) AS TIMESTAMP) < CAST(now() AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY
        ELSE LEAST(
          (SELECT min(newer.published_at) FROM readings AS newer
           WHERE newer.org_id = stored.org_id AND newer.source_id = stored.source_id
             AND newer.billing_period = stored.billing_period AND newer.load_id > stored.load_id),
          (SELECT min(version.changed_at) FROM cost_source_versions AS version
           WHERE version.org_id = stored.org_id AND version.source_id = stored.source_id AND version.deleted))
          < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY
      END AS is_over
    FROM stored
    LEFT JOIN readings AS published USING (org_id, source_id, load_id, billing_period)
    ANTI JOIN current_loads USING (org_id, source_id, load_id, billing_period))
  SELECT org_id, source_id, load_id, billing_period FROM dead WHERE is_over`;

const REPLACED_COMPUTATIONS = `
  SELECT org_id, month, computation_id FROM (
    SELECT *, lead(computed_at) OVER (PARTITION BY org_id, month ORDER BY computation_id) AS replaced_at FROM month_computations)
  WHERE replaced_at < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_DAYS} DAY`;

/** Days for which ended deliveries can be read. */
const DELIVERY_DAYS = 90;

/**
 * Removes deliveries that ended long ago, secrets of deleted webhooks, and replaced secrets that no longer sign. Events stay, so
 * that no fact raises an event twice. Idempotent. Returns the number of removed rows.
 */
export const removeOldDeliveries = (warehouse: Warehouse, now: Date): Promise<number> =>
  warehouse.transaction(async (session) => {
    let removed = 0;
    // The states go last, because each statement finds its rows by them.
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
 * Removes sign-outs of sessions that have expired. One day passes before, because the clocks of nodes differ. Idempotent. Returns
 * the number of removed rows.
 */
export const removeOldSignOuts = (warehouse: Warehouse, now: Date): Promise<number> =>
  warehouse.run('DELETE FROM session_ends WHERE expires_at < CAST($now AS TIMESTAMP) - INTERVAL 1 DAY', {
    now: now.toISOString(),
  });

/**
 * Rows of a table that the catalog of a DuckLake may hold. A small write adds its rows to the catalog, and each read of the table
 * reads all that it holds: about 2.5 ms of CPU time for 1,000 rows.
 */
const MOST_INLINED_ROWS = 1_000;

/**
 * Writes rows that the catalog of a DuckLake holds to files, for the tables that have many. Returns the number of such tables.
 * Does nothing in a DuckDB file. Idempotent.
 */
export const flushInlinedRows = (warehouse: Warehouse): Promise<number> =>
  warehouse.session(async (session) => {
    if (!warehouse.isDuckLake) return 0;
    const held = await session.query<{ inlined: string; name: string }>(
      `SELECT held.table_name AS inlined, stored.table_name AS name
       FROM ${CATALOG}.ducklake_inlined_data_tables AS held JOIN ${CATALOG}.ducklake_table AS stored USING (table_id)
       WHERE stored.end_snapshot IS NULL`,
    );
    if (held.length === 0) return 0;
    const counts = held.map(
      ({ inlined, name }) => `SELECT ${sqlText(name)} AS name, count(*) AS rows FROM ${CATALOG}."${inlined}"`,
    );
    const full = await session.query<{ name: string }>(
      `SELECT name FROM (${counts.join(' UNION ALL ')}) GROUP BY name HAVING sum(rows) > ${MOST_INLINED_ROWS} ORDER BY name`,
    );
    for (const { name } of full) await session.moveRows(flushOf(name));
    return full.length;
  });

/**
 * Frees disk space. Checkpoints a DuckDB file. In a DuckLake, writes out rows kept in the catalog, merges small files, and drops
 * old snapshots with their files.
 */
export const compact = (warehouse: Warehouse): Promise<void> =>
  warehouse.session(async (session) => {
    if (!warehouse.isDuckLake) {
      await session.run('CHECKPOINT warehouse');
      return;
    }
    // One table after the other, because a writer of any table in a transaction is in the way of all of it.
    for (const name of await tableNames(session)) {
      await session.moveRows(flushOf(name));
      await session.moveRows(`CALL ducklake_merge_adjacent_files('warehouse', ${sqlText(name)})`);
    }
    const old = `older_than => now() - INTERVAL ${GRACE_DAYS} DAY`;
    await session.run(`CALL ducklake_expire_snapshots('warehouse', ${old})`);
    await session.run(`CALL ducklake_cleanup_old_files('warehouse', ${old})`);
  });
