import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { ClusterBesideBill } from '../../../domain/sources/checks/bill-findings.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import type { Session } from '../../engine/session.ts';
import { storeChargesTwice } from '../assets/charges-twice.ts';
import { canHave, cloudOfBill } from '../assets/clouds-of-machines.ts';
import { COVERING_TABLES, INSERT_COVERED_RESOURCES } from '../assets/covered-resources.ts';
import { INSERT_COMPUTED_LOADS } from '../compute-stale-months.ts';

// Sets a source that was read into a warehouse of its own beside the connected sources, by the statements that compute months.

/** How many of the newest days of each source are compared. */
const DAYS = 10;

/** The tables of loads that say what the sources have. */
const ROWS_OF_DAYS = [
  'cloud_spend',
  'kubernetes_spend',
  'cluster_assets',
  'host_spend',
  'ai_tool_spend',
] as const;

/** A source that was read into a warehouse of its own, in which nothing else is. */
export interface Rehearsed {
  rehearsal: Session;
  /** The organisation's warehouse, which is only read. */
  session: Session;
  /** A folder that nobody else uses. */
  folder: string;
  orgId: string;
  sourceId: string;
}

/** Charges that a connected source has, too. */
interface SameCharges {
  unit: string;
  /** The name of the connected source; null if it has them under another name. */
  source: string | null;
  phrase: string;
}

/** A cluster, or all hosts together, and how many of its machines are on bills. */
interface MatchedCluster extends ClusterBesideBill {
  /** Whether the ids of all machines show their cloud. */
  isOfCloud: boolean;
}

export interface BesideOthers {
  sameCharges: SameCharges[];
  /** Null if there are no machines, or no bill, to compare. */
  clusters: MatchedCluster[] | null;
}

/**
 * Returns what is known of a source beside the connected ones: charges that both have, and machines of clusters and hosts that are
 * on bills (docs/concepts.md#every-dollar-counts-once). Compares the newest days of each.
 *
 * @param lastDay the last day with charges of the source.
 */
export async function besideOthers(rehearsed: Rehearsed, lastDay: Day): Promise<BesideOthers> {
  const { rehearsal, orgId, sourceId } = rehearsed;
  await copyOthers(rehearsed, lastDay);
  const parameters = { org: orgId, computation: idAfter(null) };
  const months = await rehearsal.query<{ month: Day }>(
    `SELECT DISTINCT CAST(date_trunc('month', day) AS DATE) AS month FROM (
       ${ROWS_OF_DAYS.map((table) => `SELECT day FROM ${table} WHERE org_id = $org AND source_id <> $source`).join(' UNION ')})`,
    { org: orgId, source: sourceId },
  );
  if (months.length === 0) return { sameCharges: [], clusters: null };
  await rehearsal.run(INSERT_COMPUTED_LOADS, { ...parameters, months: months.map(({ month }) => month) });
  for (const statement of Object.values(COVERING_TABLES))
    await rehearsal.run(statement, statement.includes('$org') ? parameters : {});
  await rehearsal.run(INSERT_COVERED_RESOURCES, parameters);
  await storeChargesTwice(rehearsal, parameters);
  const ids = { org: orgId, source: sourceId };
  const sameCharges = await rehearsal.query<SameCharges>(SAME_CHARGES, ids);
  const [bill] = await rehearsal.query(
    'FROM cloud_spend WHERE org_id = $org AND source_id = $source LIMIT 1',
    ids,
  );
  const [anyBill] = await rehearsal.query('FROM cloud_spend WHERE org_id = $org LIMIT 1', { org: orgId });
  const clusters =
    anyBill === undefined
      ? []
      : await rehearsal.query<
          Omit<MatchedCluster, 'nodes' | 'onBill' | 'onOtherBill'> &
            Record<'nodes' | 'onBill' | 'onOtherBill', string>
        >(bill === undefined ? CLUSTERS_OF_SOURCE : CLUSTERS_ON_BILL, ids);
  return {
    sameCharges,
    clusters:
      clusters.length === 0
        ? null
        : clusters.map((cluster) => ({
            ...cluster,
            nodes: Number(cluster.nodes),
            onBill: Number(cluster.onBill),
            onOtherBill: Number(cluster.onOtherBill),
          })),
  };
}

/** Copies the connected sources with their newest days up to `lastDay`. */
async function copyOthers(rehearsed: Rehearsed, lastDay: Day): Promise<void> {
  const { orgId } = rehearsed;
  const windows = `
WITH windows AS (
  SELECT source_id, least(max(delivered_through), CAST($last_day AS DATE)) AS until FROM current_loads
  WHERE org_id = $org GROUP BY ALL)`;
  await copy(rehearsed, 'cost_source_versions', 'SELECT * FROM cost_source_versions WHERE org_id = $org', {
    org: orgId,
  });
  await copy(
    rehearsed,
    'loads',
    `SELECT loads.* FROM loads SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period) WHERE org_id = $org`,
    { org: orgId },
  );
  await copy(
    rehearsed,
    'load_files',
    `SELECT load_files.* FROM load_files SEMI JOIN current_loads USING (org_id, source_id, load_id) WHERE org_id = $org`,
    { org: orgId },
  );
  for (const table of ROWS_OF_DAYS)
    await copy(
      rehearsed,
      table,
      `${windows}
SELECT spent.* FROM ${table} AS spent SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
JOIN windows USING (source_id)
WHERE org_id = $org AND day BETWEEN until - ${DAYS - 1} AND until`,
      { org: orgId, last_day: lastDay },
    );
}

/** Copies rows of the organisation's warehouse into the same table of the rehearsal's. */
async function copy(
  { session, rehearsal, folder }: Rehearsed,
  table: string,
  select: string,
  parameters: Record<string, string>,
): Promise<void> {
  const file = join(folder, `${table}-of-others.parquet`);
  await session.run(`COPY (${select}) TO ${sqlText(file)} (FORMAT parquet)`, parameters);
  await rehearsal.run(`INSERT INTO ${table} BY NAME FROM read_parquet(${sqlText(file)})`);
  await rm(file);
}

const SAME_CHARGES = `
SELECT unit, name AS source, any_value(phrase) AS phrase
FROM month_doubts LEFT JOIN (SELECT source_id AS other_source_id, name FROM cost_sources WHERE org_id = $org) USING (other_source_id)
WHERE org_id = $org AND month_doubts.source_id = $source AND code = 'charges_twice'
GROUP BY ALL ORDER BY ALL`;

/** The subscription or project in the id of a machine. */
const ACCOUNT = `CASE WHEN starts_with(full_key, 'subscriptions/') OR starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) END`;

/** Counts the nodes of clusters on the newest day of each. `where` chooses them. */
const matched = (where: string): string => `
WITH own_resources AS (
  SELECT DISTINCT cloud, account, resource_id FROM cloud_spend
  WHERE org_id = $org AND source_id = $source AND resource_id IS NOT NULL),
own_clouds AS (SELECT DISTINCT ${cloudOfBill('cloud')} AS bill_cloud FROM cloud_spend WHERE org_id = $org AND source_id = $source),
found AS (
  SELECT identity, bool_or(own.resource_id IS NOT NULL) AS on_own, bool_or(own.resource_id IS NULL) AS on_other
  FROM asset_pairs ANTI JOIN ambiguous_names USING (month, identity, via)
  LEFT JOIN own_resources AS own USING (cloud, account, resource_id)
  GROUP BY identity),
newest AS (
  SELECT * FROM assets WHERE kind = 'node' AND provider_id IS NOT NULL AND NOT is_borrowed
  QUALIFY day = max(day) OVER (PARTITION BY cluster, host)),
nodes AS (SELECT DISTINCT COALESCE(cluster, 'hosts') AS cluster, identity, cloud, ${ACCOUNT} AS account FROM newest WHERE ${where})
SELECT cluster, count(*) AS nodes, count(*) FILTER (on_own) AS "onBill", count(*) FILTER (on_other AND NOT on_own) AS "onOtherBill",
  bool_and(cloud IS NOT NULL) AS "isOfCloud", COALESCE(list(DISTINCT account ORDER BY account) FILTER (account IS NOT NULL), []) AS accounts
FROM nodes LEFT JOIN found USING (identity) GROUP BY cluster ORDER BY cluster`;

/** The clusters that a bill can have, without those that are on another bill alone. */
const CLUSTERS_ON_BILL = `
SELECT * FROM (${matched(`EXISTS (FROM own_clouds WHERE ${canHave('bill_cloud', 'cloud')})`)})
WHERE "onBill" > 0 OR "onOtherBill" = 0`;

/** The clusters and hosts of the source. All bills are connected ones. */
const CLUSTERS_OF_SOURCE = `
SELECT * REPLACE ("onOtherBill" AS "onBill", 0 AS "onOtherBill") FROM (${matched(`cluster IN (
    SELECT cluster FROM cluster_assets WHERE org_id = $org AND source_id = $source)
  OR host IN (SELECT host FROM host_spend WHERE org_id = $org AND source_id = $source)`)})`;
