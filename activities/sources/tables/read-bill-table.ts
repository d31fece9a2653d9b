import { systemClock } from '../../../domain/shared/clock.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { dayWritten } from '../../../domain/sources/exports/day-written.ts';
import { isTableLocation } from '../../../domain/sources/table-location.ts';
import type { ExportFile } from '../../../warehouse/sources/feeds/export-files.ts';
import { stageFocus } from '../../../warehouse/sources/focus/focus-load.ts';
import { gkeNotes } from '../../../warehouse/sources/focus/tables/gke-labels.ts';
import type { TablePeriod } from '../../../warehouse/sources/focus/tables/period-query.ts';
import {
  rollUpQuery,
  valuesQuery,
  type GroupsQuery,
} from '../../../warehouse/sources/focus/tables/roll-up-query.ts';
import {
  appendGroups,
  openTableRows,
  tableFile,
  type GroupsTable,
} from '../../../warehouse/sources/focus/tables/table-rows.ts';
import type { StagedLoad } from '../../../warehouse/sources/publishing/load.ts';
import type { Reading } from '../reading.ts';
import { openedTable, type OpenedTable, type TableSource } from './opened-table.ts';
import { pagesOf } from './table-queries.ts';

/** Returns what reads a bill in a table of BigQuery, or else in files by `readFiles`. */
export const tableOr =
  (readFiles: (source: TableSource, reading: Reading) => Promise<StagedLoad>) =>
  (source: TableSource, reading: Reading): Promise<StagedLoad> => {
    if (isTableLocation(source.location)) return readBillTable(source, reading);
    if (source.options.kubernetes !== undefined)
      throw invalid('options.kubernetes: expected none, because the location is not a table of BigQuery');
    return readFiles(source, reading);
  };

/**
 * Reads a bill in a table of BigQuery, and stages it like a file (docs/data-formats.md#tables-of-bigquery). BigQuery groups the lines
 * of each billing period, so that only groups travel. Each query is a job of the run, so that another attempt reads its result.
 */
async function readBillTable(source: TableSource, reading: Reading): Promise<StagedLoad> {
  const { location, options } = source;
  const { sessions, load, currency } = reading;
  const opened = await openedTable(source, reading);
  const files = await periodFiles(location, opened, opened.periods, reading);
  const notes = await gkeNotes(sessions.reader, options.kubernetes === 'labels');
  const staged = await stageFocus(sessions, load, {
    files,
    costColumn: options.cost_column,
    currency,
    candidates: opened.candidates,
  });
  return { ...staged, notes: [...notes, ...staged.notes] };
}

/** Returns the name of a billing period, which stands for a file. */
const nameOf = (location: string, { month }: TablePeriod): string => `${location}#${month ?? 'no month'}`;

/** Lets BigQuery group some billing periods of a table, and returns each as a file. */
async function periodFiles(
  location: string,
  { queries, table, collected, listedFrom }: OpenedTable,
  periods: readonly TablePeriod[],
  { sessions, load, attempt }: Reading,
): Promise<ExportFile[]> {
  let rowsRead = 0;
  const append = async (into: GroupsTable, path: string, query: GroupsQuery, what: string): Promise<void> => {
    for await (const rows of pagesOf(query, what, queries)) {
      await appendGroups(sessions.reader, into, path, rows);
      rowsRead += rows.length;
      attempt.report(rowsRead);
    }
  };
  const files = [];
  await openTableRows(sessions.reader, table, collected);
  for (const period of periods) {
    attempt.signal.throwIfAborted();
    const { month } = period;
    const path = nameOf(location, period);
    const what = month === null ? 'the lines without a billing period' : `billing period ${month}`;
    await append('table_groups', path, rollUpQuery(table, period, collected), what);
    if (month !== null && month >= listedFrom)
      await append('table_values', path, valuesQuery(table, period), `the tags and services of ${month}`);
    const writtenOn = dayWritten([period.exported], load.now, systemClock.now());
    files.push(tableFile(table, period, collected, { path, delivery: location, writtenOn }));
  }
  return files;
}
