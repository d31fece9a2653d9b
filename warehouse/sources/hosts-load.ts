import { keepEarlierDays } from './publishing/carry-over.ts';
import type { ExportFile } from './feeds/export-files.ts';
import type { LoadResult } from './focus/focus-load.ts';
import type { LoadSessions } from '../engine/readers/load-sessions.ts';
import { newLoadId, publishLoad, type LoadScope, type Publish } from './publishing/publish-load.ts';
import { readFeed, rowsStored, stageFeed } from './feeds/read-feed.ts';
import { relationsOf, type Relation } from './feeds/scan-files.ts';
import { judgedRows, missingTabularColumns, type TabularColumns } from './feeds/tabular-rows.ts';
import { dropTemporaryTables } from '../engine/sql/temporary-tables.ts';

const COLUMNS: TabularColumns = {
  day: { names: ['day'], holds: 'day', required: 'value' },
  host: { names: ['host'], holds: 'text', required: 'value' },
  service: { names: ['service'], holds: 'text', required: 'column' },
  cost: { names: ['cost'], holds: 'decimal', required: 'value' },
  machine_id: { names: ['machine_id'], holds: 'text', required: 'no' },
};

/** The mandatory columns that a file of host spend lacks. */
export const missingHostColumns = (file: ExportFile): string[] => missingTabularColumns(file, COLUMNS);

/**
 * Loads host spend (sources §3), one load per month; days that the files lack stay as they were. Done twice, the second load replaces the first by the same
 * numbers; before it publishes nobody sees a row. Throws `invalid` for too many rows that cannot be read.
 */
export const loadHosts = async (
  sessions: LoadSessions,
  scope: LoadScope,
  files: readonly ExportFile[],
  publish: Publish,
): Promise<LoadResult> => {
  const { reader, session } = sessions;
  const loadId = await newLoadId(session, scope);
  try {
    const relations = relationsOf(files);
    const counts = await readFeed(reader, scope, { statement: hostGroups(relations), relations });
    await stageFeed(sessions, 'load_days');
    const notes = await keepEarlierDays(
      session,
      { ...scope, loadId },
      { staged: 'load_days', stored: 'host_spend' },
    );
    await session.run(INSERT_HOST_SPEND, { org: scope.orgId, source: scope.sourceId, load: loadId });
    const target = { ...scope, readFrom: files.map(({ path }) => path) };
    return { ...counts, ...(await publishLoad(session, target, loadId, rowsStored(counts), publish)), notes };
  } finally {
    await dropTemporaryTables(session, ['load_days']);
  }
};

/** The spend by everything that is kept; a host's idle share has no service. */
const hostGroups = (relations: readonly Relation[]): string => `
CREATE TEMP TABLE judged_groups AS
WITH ${judgedRows(relations, COLUMNS)}
SELECT problem, is_wanted AS counts, any_value(CASE WHEN problem IS NOT NULL THEN file END) AS file, day, host,
  NULLIF(service, '__idle__') AS service, machine_id, sum(cost) AS cost, count(*) AS row_count
FROM judged_rows GROUP BY ALL`;

const INSERT_HOST_SPEND = `
INSERT INTO host_spend BY NAME
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id,
  CAST(date_trunc('month', day) AS DATE) AS billing_period, day, host, service, machine_id, cost
FROM load_days`;
