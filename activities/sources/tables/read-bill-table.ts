import { systemClock } from '../../../domain/shared/clock.ts';
import { dayOf, monthOf } from '../../../domain/shared/calendar.ts';
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
  newestMonthOver,
  openTableRows,
  tableFile,
  type GroupsTable,
} from '../../../warehouse/sources/focus/tables/table-rows.ts';
import { readChanged } from '../read-changed.ts';
import type { Reading, SourceReading } from '../reading.ts';
import type { ListedFile } from '../source-files.ts';
import { openedTable, type OpenedTable, type TableSource } from './opened-table.ts';
import { resultOfQuery } from './table-queries.ts';

/** Returns what reads a bill in a table of BigQuery, or else in files by `readFiles`. */
export const tableOr =
  (readFiles: (source: TableSource, reading: Reading) => Promise<SourceReading>) =>
  (source: TableSource, reading: Reading): Promise<SourceReading> => {
    if (isTableLocation(source.location)) return readBillTable(source, reading);
    if (source.options.kubernetes !== undefined)
      throw invalid('options.kubernetes: expected none, because the location is not a table of BigQuery');
    return readFiles(source, reading);
  };

/**
 * Reads the billing periods of a table of BigQuery that have changed, and stages them like files
 * (docs/data-formats.md#tables-of-bigquery). BigQuery groups the lines of each, so that only groups travel. Each query is a job of
 * the run, so that another attempt reads its result.
 */
async function readBillTable(source: TableSource, reading: Reading): Promise<SourceReading> {
  const { location, options } = source;
  const { sessions, load, currency, files } = reading;
  const opened = await openedTable(source, reading);
  const { candidates, exported } = opened;
  const present = opened.periods.map((period) => listed(location, period, exported));
  files.countListed(present);
  const bill = {
    present,
    isWhole: false,
    read: async (some: readonly ListedFile[]) => {
      const names = new Set(some.map(({ path }) => path));
      const periods = opened.periods
        .filter((period) => names.has(nameOf(location, period)))
        .slice(-(reading.newestPeriods ?? opened.periods.length));
      return {
        files: await periodFiles(location, opened, periods, reading),
        copies: new Map(),
        isWhole: false,
      };
    },
    nothing: () => invalid('location: the table has no lines; nothing was loaded'),
  };
  return readChanged(reading, bill, async (read, part) => {
    const notes = await gkeNotes(sessions.reader, options.kubernetes === 'labels');
    const costColumn = options.cost_column;
    const staged = await stageFocus(sessions, load, { files: read, costColumn, currency, candidates, part });
    return { ...staged, notes: [...notes, ...staged.notes] };
  });
}

/** Returns the name of a billing period, which stands for a file. */
const nameOf = (location: string, { month }: TablePeriod): string => `${location}#${month ?? 'no month'}`;

/**
 * Returns a billing period as a file. What was exported after its month tells that the month is whole, so that the period is read
 * once more then.
 *
 * @param exported when the newest line of the table was exported.
 */
function listed(location: string, period: TablePeriod, exported: number | null): ListedFile {
  const name = nameOf(location, period);
  const isOver =
    period.month !== null && exported !== null && monthOf(dayOf(new Date(exported))) > period.month;
  return {
    path: name,
    name,
    version: `${period.version}${isOver ? '|over' : ''}`,
    bytes: null,
    writtenAt: period.exported,
    period,
  };
}

/** Lets BigQuery group some billing periods of a table, and returns each as a file. */
async function periodFiles(
  location: string,
  { queries, table, collected, exported, periods: present }: OpenedTable,
  periods: readonly TablePeriod[],
  { sessions, load, attempt, files: counted }: Reading,
): Promise<ExportFile[]> {
  let rowsRead = 0;
  const append = async (
    into: GroupsTable,
    path: string,
    query: GroupsQuery,
    what: string,
  ): Promise<number> => {
    const { bytes, pages } = await resultOfQuery(query, what, queries);
    for await (const rows of pages) {
      await appendGroups(sessions.reader, into, path, rows);
      rowsRead += rows.length;
      attempt.report(rowsRead);
    }
    return bytes;
  };
  await openTableRows(sessions.reader, table, collected);
  const grouped = [];
  for (const period of periods) {
    attempt.signal.throwIfAborted();
    const { month } = period;
    const path = nameOf(location, period);
    const what = month === null ? 'the lines without a billing period' : `billing period ${month}`;
    const bytes = await append('table_groups', path, rollUpQuery(table, period, collected), what);
    grouped.push({ period, path, bytes });
  }
  const running = monthOf(dayOf(load.now));
  const kept = present.filter((period) => !periods.includes(period)).flatMap(({ month }) => month ?? []);
  const over = [await newestMonthOver(sessions.reader, running), ...kept.filter((month) => month < running)];
  // What bills can be divided by is never read of earlier months (warehouse/spend/picks/option-costs.ts).
  const listedFrom = over.toSorted().at(-1) ?? '';
  const files = [];
  for (const { period, path, bytes } of grouped) {
    attempt.signal.throwIfAborted();
    const { month } = period;
    const ofList =
      month !== null && month >= listedFrom
        ? await append('table_values', path, valuesQuery(table, period), `the tags and services of ${month}`)
        : 0;
    counted.countRead({ ...listed(location, period, exported), bytes: bytes + ofList });
    // A month may end quietly. Whatever was exported later tells that nothing of it is missing.
    const writtenOn = dayWritten([exported], load.now, systemClock.now());
    files.push(tableFile(table, period, collected, { path, delivery: location, writtenOn }));
  }
  return files;
}
