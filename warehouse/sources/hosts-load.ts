import { keepEarlierDays } from './publishing/carry-over.ts';
import type { ExportFile } from './feeds/export-files.ts';
import type { LoadSessions } from '../engine/readers/load-sessions.ts';
import { storeDayRows, type Load, type StagedLoad } from './publishing/load.ts';
import { storeUnitsTwice } from './publishing/charged-twice.ts';
import { lineSums, stageTableTwice, type TableFeed } from './publishing/lines-twice.ts';
import { MONTH, MONTHS } from './publishing/publish-load.ts';
import { storeUnitDays, type UnitRows } from './publishing/unit-days.ts';
import { readFeed, rowsStored, stageFeed } from './feeds/read-feed.ts';
import { LAST_FILE, REJECTED_FILE, sumOfKnown } from './feeds/rejected-rows.ts';
import { checkUnits, unitsOf } from './publishing/unit-shrink.ts';
import { readingBounds } from './feeds/wanted-months.ts';
import { rejectedByDay, stageRejected } from './feeds/rejected-when.ts';
import { relationsOf, type Relation } from './feeds/scan-files.ts';
import { checkedRows, missingTabularColumns, type TabularColumns } from './feeds/tabular-rows.ts';

const COLUMNS: TabularColumns = {
  day: { names: ['day'], holds: 'day', required: 'value' },
  host: { names: ['host'], holds: 'text', required: 'value' },
  service: { names: ['service'], holds: 'text', required: 'column' },
  cost: { names: ['cost'], holds: 'decimal', required: 'value' },
  machine_id: { names: ['machine_id'], holds: 'text', required: 'no' },
};

export const missingHostColumns = (file: ExportFile): string[] => missingTabularColumns(file, COLUMNS);

/** A file has one line for each service of a host and day (docs/data-formats.md#hosts), so that no two are equal. */
const HOST_LINES: TableFeed = {
  unit: 'host',
  line: 'line of host',
  rows: (relations) => `
WITH ${checkedRows(relations, COLUMNS)}
SELECT file, day, host AS unit, cost, line, true AS is_named FROM checked_rows WHERE problem IS NULL AND is_wanted`,
  fewestNamed: 1,
};

/**
 * Stages host spend (docs/data-formats.md#hosts), one load per month. Days that the files lack stay unchanged. Throws `invalid` for
 * too many unreadable rows, and if a settled month would lose a host.
 */
export async function stageHosts(
  sessions: LoadSessions,
  load: Load,
  files: readonly ExportFile[],
): Promise<StagedLoad> {
  const { reader, session } = sessions;
  const relations = relationsOf(files);
  const counts = await readFeed(reader, load, {
    groups: hostGroups(relations),
    relations,
    rejectedWhen: rejectedByDay('cost'),
  });
  await stageFeed(sessions, 'load_days');
  await stageTableTwice(sessions, relations, HOST_LINES, readingBounds(load));
  await stageRejected(sessions);
  const kept = await keepEarlierDays(session, load, { staged: 'load_days', stored: 'host_spend' });
  const shrunk = await checkUnits(session, load, unitsOf('host', 'host_spend'));
  await storeDayRows(session, load, 'host_spend', HOST_SPEND);
  await storeUnitDays(session, load, HOST_DAYS);
  await storeUnitsTwice(session, load, { load_days: HOST_LINES });
  return {
    load,
    counts,
    rowsStored: rowsStored(counts),
    periods: MONTHS,
    readFrom: files.map(({ path }) => path),
    notes: [...kept, ...shrunk],
  };
}

/** Groups the spend by all stored columns. A host's idle share has no service. */
const hostGroups = (relations: readonly Relation[]): string => `
WITH ${checkedRows(relations, COLUMNS)}
SELECT problem, is_wanted AS counts, ${REJECTED_FILE}, ${LAST_FILE}, day, host,
  NULLIF(service, '__idle__') AS service, machine_id, ${sumOfKnown('cost')} AS cost, count(*) AS row_count,
  ${lineSums()}
FROM checked_rows GROUP BY ALL`;

const HOST_DAYS: UnitRows = {
  kind: 'host',
  unit: 'host',
  billingPeriod: MONTH,
  from: 'load_days',
  counts: 'is_whole',
};

const HOST_SPEND = `SELECT ${MONTH} AS billing_period, day, host, service, machine_id, cost, is_whole FROM load_days`;
