import { createUnitsTwice, copyUnitsTwice, storeUnitsTwice } from '../publishing/charged-twice.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { carryOver, keepEarlierDays, keepLateMonths } from '../publishing/carry-over.ts';
import { copyToWarehouse, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { ALLOCATION_LINES, allocationGroups, ASSET_LINES, assetGroups } from './opencost-groups.ts';
import { findTableTwice } from '../publishing/lines-twice.ts';
import { storeDayRows, storeRows, type Load, type StagedLoad } from '../publishing/load.ts';
import { checkMoney, cutDaysOf, MONTH, MONTHS } from '../publishing/publish-load.ts';
import { storeUnitDays, type UnitRows } from '../publishing/unit-days.ts';
import { checkUnits, unitsOf } from '../publishing/unit-shrink.ts';
import { addCounts, readFeed, rowsStored, stageFeed, withoutUnusedMonths } from '../feeds/read-feed.ts';
import { NO_COST, rejectedByDay, stageRejected } from '../feeds/rejected-when.ts';
import type { Relation } from '../feeds/scan-files.ts';
import { readingBounds } from '../feeds/wanted-months.ts';
import { IS_WHOLE } from '../feeds/written-files.ts';
import type { Session, Statements } from '../../engine/session.ts';

/** The feeds of an OpenCost source, read from files or appended from its API (opencost-api-rows.ts). */
export interface OpenCostFeeds {
  allocations: readonly Relation[];
  /** Null if the cluster's nodes, disks and load balancers are not known. */
  assets: readonly Relation[] | null;
  /** `options.cluster`: the cluster of rows that name no cluster. */
  cluster: string | null;
  /** An API is asked for some days only, and forgets old ones. Days that it lacks always stay, without a note. */
  from: 'files' | 'api';
}

/**
 * Stages the spend and the assets of clusters (docs/data-formats.md#opencost-and-kubecost), one load for each month with
 * allocations. Assets of a month that was loaded before join that month's allocations. Days that a feed lacks stay unchanged.
 * The first month also keeps the newest assets from before it, because its first days may borrow them. Throws `invalid` if a feed
 * has too many unreadable rows, if rows name no cluster, or if a settled month would lose a cluster.
 */
export async function stageOpenCost(
  sessions: LoadSessions,
  load: Load,
  feeds: OpenCostFeeds,
): Promise<StagedLoad> {
  const { reader, session } = sessions;
  const parameters = { cluster: feeds.cluster };
  const bounds = { ...readingBounds(load), ...parameters };
  await createUnitsTwice(reader);
  const assetRelations = feeds.assets ?? [NO_ASSETS];
  const assets = await readFeed(reader, load, {
    groups: assetGroups(assetRelations),
    name: ASSET_FEED.name,
    parameters,
    relations: assetRelations,
    rejectedWhen: rejectedByDay(NO_COST),
  });
  await refuseUnnamedCluster(reader);
  await copyToWarehouse(
    sessions,
    'read_assets',
    `SELECT * EXCLUDE (problem, file, last_file, written_on), ${IS_WHOLE} AS is_whole
     FROM checked_groups LEFT JOIN temp.main.written_files USING (last_file) WHERE problem IS NULL AND (counts OR lends)`,
  );
  await session.run(
    'CREATE TEMP TABLE asset_days AS SELECT * EXCLUDE (counts, lends) FROM read_assets WHERE counts',
  );
  await findTableTwice(reader, assetRelations, ASSET_LINES, bounds);
  const allocations = await readFeed(reader, load, {
    groups: allocationGroups(feeds.allocations),
    parameters,
    relations: feeds.allocations,
    rejectedWhen: rejectedByDay('cost'),
  });
  await refuseUnnamedCluster(reader);
  await stageFeed(sessions, 'load_days');
  await findTableTwice(reader, feeds.allocations, ALLOCATION_LINES, bounds);
  await copyUnitsTwice(sessions);
  await stageRejected(sessions);
  const kept = await keepDays(session, load, feeds);
  await keepLateMonths(session, load, { spend: ALLOCATION_FEED, late: ASSET_FEED });
  const shrunk = await checkUnits(session, load, unitsOf('cluster', 'kubernetes_spend'));
  await checkMoney(session, 'asset_days', MONTH);
  await storeDayRows(session, load, 'kubernetes_spend', ALLOCATIONS);
  await storeUnitDays(session, load, CLUSTER_DAYS);
  await storeDayRows(session, load, 'cluster_assets', ASSETS);
  await storeRows(session, load, 'cluster_assets', LENT_ASSETS);
  await storeUnitsTwice(session, load, { asset_days: ASSET_LINES, load_days: ALLOCATION_LINES });
  return {
    // The days that an API was not asked for stay, whatever the ingest accepts.
    load: { ...load, acceptShrink: load.acceptShrink && feeds.from === 'files' },
    counts: addCounts(allocations, await withoutUnusedMonths(session, assets, 'asset_days')),
    rowsStored: rowsStored(allocations),
    periods: PERIODS,
    notes: [...kept, ...shrunk],
  };
}

/** Carries over the days that the feeds lack. If the source no longer names assets, earlier assets go. */
async function keepDays(session: Session, load: Load, feeds: OpenCostFeeds): Promise<string[]> {
  if (feeds.from === 'api') {
    await carryOver(session, load, ALLOCATION_FEED);
    await carryOver(session, load, ASSET_FEED);
    return [];
  }
  const kept = await keepEarlierDays(session, load, ALLOCATION_FEED);
  if (feeds.assets === null) return kept;
  return [...kept, ...(await keepEarlierDays(session, load, ASSET_FEED))];
}

const ALLOCATION_FEED = { staged: 'load_days', stored: 'kubernetes_spend' } as const;
const ASSET_FEED = { staged: 'asset_days', stored: 'cluster_assets', name: 'assets' } as const;

/** An empty feed, for a source without assets. */
const NO_ASSETS: Relation = {
  from: `(SELECT CAST(NULL AS VARCHAR) AS export_file LIMIT 0)`,
  fileColumn: 'export_file',
  format: 'parquet',
  columns: [],
  counts: [],
};

async function refuseUnnamedCluster(reader: Statements): Promise<void> {
  const [unnamed] = await reader.query<{ row_count: string | null }>(
    'SELECT sum(row_count) AS row_count FROM checked_groups WHERE problem IS NULL AND counts AND cluster IS NULL',
  );
  if (unnamed === undefined || unnamed.row_count === null) return;
  throw invalid(
    `${unnamed.row_count} rows name no cluster: set options.cluster to the cluster that they belong to; nothing was loaded`,
  );
}

/** A day is whole only if the files of both feeds are. */
const PERIODS = { ...MONTHS, cutDays: `${MONTHS.cutDays} UNION ${cutDaysOf('asset_days')}` };

const ALLOCATIONS = `
SELECT ${MONTH} AS billing_period, day, cluster, namespace, workload, is_idle, cost, is_whole FROM load_days`;

/** The days on which each cluster has allocations or assets. Assets are its whole cost, so that allocations add nothing to them. */
const CLUSTER_DAYS: UnitRows = {
  kind: 'cluster',
  unit: 'cluster',
  billingPeriod: MONTH,
  from: `(
    SELECT day, cluster, cost, is_whole FROM asset_days WHERE ${MONTH} IN (SELECT ${MONTH} FROM load_days)
    UNION ALL
    SELECT day, cluster, CASE WHEN asset.day IS NULL THEN cost ELSE 0 END, is_whole
    FROM load_days LEFT JOIN (SELECT DISTINCT day, cluster FROM asset_days) AS asset USING (day, cluster))`,
  counts: 'is_whole',
};

const ASSETS = `
SELECT ${MONTH} AS billing_period, day, cluster, kind, provider_id, project, cost, is_whole FROM asset_days
WHERE date_trunc('month', day) IN (SELECT date_trunc('month', day) FROM load_days)`;

/**
 * Selects the newest assets of each cluster from before the first loaded month. They are rows of that month's load with their own
 * day. They only lend (nearest-assets.ts), because spend is read by the month of its load. If a load of their own month has them,
 * they are left out.
 */
const LENT_ASSETS = `
WITH first_month AS (SELECT CAST(date_trunc('month', min(day)) AS DATE) AS billing_period FROM load_days),
own_days AS (
  SELECT day, cluster FROM cluster_assets SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND source_id = $source AND billing_period = date_trunc('month', day)),
earlier_assets AS (
  SELECT billing_period, day, cluster, kind, provider_id, project, cost FROM read_assets JOIN first_month ON day < billing_period
  QUALIFY rank() OVER (PARTITION BY cluster ORDER BY day DESC) = 1)
FROM earlier_assets ANTI JOIN own_days USING (day, cluster)`;
