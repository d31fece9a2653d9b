import { firstDay, type Day, type Month } from '../../../../domain/shared/calendar.ts';
import type { Reader } from '../../../engine/readers/reader.ts';
import { sqlText } from '../../../engine/sql/sql-text.ts';
import { quoted } from '../../feeds/cells.ts';
import { CLUSTER_LABELS } from '../values/collected-values.ts';
import type { ExportColumn, ExportFile } from '../../feeds/export-files.ts';
import type { BillTable } from './bill-table.ts';
import type { TablePeriod } from './period-query.ts';
import {
  GROUP,
  rollUpQuery,
  tagColumn,
  valuesQuery,
  type CollectedKeys,
  type GroupsQuery,
} from './roll-up-query.ts';

// The groups that BigQuery has made of a table's lines, as rows of FOCUS. Temporary tables spill to disk, so that the groups do not
// fill the memory.

/** The temporary table of the reader: groups of spend, or of what bills can be divided by. */
export type GroupsTable = 'table_groups' | 'table_values';

const FILE = 'export_file';

/** Creates the tables for the groups of all periods. The queries of all of them have the same columns. */
export async function openTableRows(
  reader: Reader,
  table: BillTable,
  collected: CollectedKeys,
): Promise<void> {
  const queries: Record<GroupsTable, GroupsQuery> = {
    table_groups: rollUpQuery(table, ANY_PERIOD, collected),
    table_values: valuesQuery(table, ANY_PERIOD),
  };
  for (const [name, { columns }] of Object.entries(queries)) {
    const definitions = [FILE, ...columns].map((column) => `${quoted(column)} VARCHAR`);
    await reader.run(`CREATE OR REPLACE TEMP TABLE ${name} (${definitions.join(', ')})`);
  }
}

const ANY_PERIOD: TablePeriod = {
  month: null,
  version: '',
  exported: null,
  firstDay: null,
  partitions: null,
};

/** Appends groups of a period. Cells are in the order of the query's columns. */
export async function appendGroups(
  reader: Reader,
  table: GroupsTable,
  file: string,
  rows: readonly (readonly (string | null)[])[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await reader.append(table, [
    rows.map(() => file),
    ...first.map((_, column) => rows.map((row) => row[column] ?? null)),
  ]);
}

/** Returns the newest month before `running` that has lines in `table_groups`; empty text for none. */
export async function newestMonthOver(reader: Reader, running: Month): Promise<Month> {
  const [start, end] = [instant(GROUP.start).sql, instant(GROUP.end).sql];
  const [newest] = await reader.query<{ month: Month | null }>(
    `SELECT strftime(max(least(greatest(${start}, ${end} - INTERVAL 1 MICROSECOND), $running::TIMESTAMP - INTERVAL 1 DAY)), '%Y-%m') AS month
     FROM temp.main.table_groups WHERE ${start} < $running::TIMESTAMP AND ${end} >= ${start}`,
    { running: firstDay(running) },
  );
  return newest?.month ?? '';
}

/** A column of FOCUS: its type, and its SQL on the groups. */
type FocusColumns = Record<string, { type: 'TIMESTAMP' | 'VARCHAR'; sql: string }>;

const text = (sql: string): FocusColumns[string] => ({ type: 'VARCHAR', sql });
const instant = (column: string): FocusColumns[string] => ({
  type: 'TIMESTAMP',
  sql: `make_timestamp(CAST(${column} AS BIGINT))`,
});

const copied = (names: readonly string[]): FocusColumns =>
  Object.fromEntries(names.map((name) => [name, text(quoted(name))]));

const costs = ({ effectiveCost, billedCost }: BillTable): FocusColumns =>
  copied([
    ...(effectiveCost === null ? [] : [GROUP.effective]),
    ...(billedCost === null ? [] : [GROUP.billed]),
  ]);

function billingPeriod({ billingPeriod: period }: BillTable, { month }: TablePeriod): FocusColumns {
  if (period !== null)
    return {
      BillingPeriodStart: instant(GROUP.periodStart),
      ...(period.end === null ? {} : { BillingPeriodEnd: instant(GROUP.periodEnd) }),
    };
  const start = month === null ? 'CAST(NULL AS TIMESTAMP)' : `TIMESTAMP ${sqlText(firstDay(month))}`;
  return { BillingPeriodStart: { type: 'TIMESTAMP', sql: start } };
}

const keysOf = (table: BillTable): FocusColumns =>
  copied([...Object.keys(table.keys), ...(table.commitment === null ? [] : [GROUP.commitment])]);

function tagsOf({ tags }: BillTable, { tagKeys }: CollectedKeys): FocusColumns {
  if (tags === null || tagKeys.length === 0) return {};
  const entries = tagKeys.flatMap((key, place) => [sqlText(key), quoted(tagColumn(place))]);
  return { Tags: text('text' in tags ? quoted(GROUP.tags) : `json_object(${entries.join(', ')})`) };
}

const described = (columns: FocusColumns, { called }: BillTable): ExportColumn[] =>
  Object.entries(columns).map(([name, { type }]) => {
    const own = called[name];
    return own === undefined
      ? { name, type }
      : { name, type, written: { called: { name: own, sql: sqlText(own) } } };
  });

const selected = (columns: FocusColumns): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `${sql} AS ${quoted(name)}`)
    .join(', ');

/** Returns a period of a table as a file with rows of FOCUS, each of which stands for several lines. */
export function tableFile(
  table: BillTable,
  period: TablePeriod,
  collected: CollectedKeys,
  { path, delivery, writtenOn }: { path: string; delivery: string; writtenOn: Day | null },
): ExportFile {
  const { resource, credits } = table;
  const ofFile = `${FILE} = ${sqlText(path)}`;
  const spend: FocusColumns = {
    ChargePeriodStart: instant(GROUP.start),
    ChargePeriodEnd: instant(GROUP.end),
    ...costs(table),
    ...billingPeriod(table, period),
    ...keysOf(table),
    ...copied([
      ...Object.keys(table.accountName),
      ...(resource === null ? [] : [resource.column, ...Object.keys(resource.names)]),
      ...(collected.services && table.service !== null ? [GROUP.service] : []),
      ...(collected.resourceGroups && table.resourceGroup !== null ? [GROUP.resourceGroup] : []),
    ]),
    ...(credits === null
      ? {}
      : { x_Credits: text(`CASE WHEN copy = 0 THEN '[{"amount":' || ${GROUP.credits} || '}]' END`) }),
    ...tagsOf(table, collected),
    ...(collected.clusters ? copied(CLUSTER_LABELS) : {}),
  };
  const creditLines =
    credits === null ? '0' : `CASE WHEN copy = 0 THEN CAST(${GROUP.creditLines} AS BIGINT) ELSE 0 END`;
  // Each line that spans days is a row of its own. A group of lines within a day is one.
  const from = `(
    SELECT ${FILE}, ${selected(spend)},
      CASE WHEN ${GROUP.spans} = 'true' THEN 1 ELSE CAST(${GROUP.lines} AS BIGINT) END AS group_rows, ${creditLines} AS group_credit_rows
    FROM (
      SELECT *, unnest(range(CASE WHEN ${GROUP.spans} = 'true' THEN CAST(${GROUP.lines} AS BIGINT) ELSE 1 END)) AS copy
      FROM temp.main.table_groups WHERE ${ofFile}))`;
  const values: FocusColumns = {
    ChargePeriodStart: billingPeriod(table, period)['BillingPeriodStart'] ?? text('NULL'),
    ChargePeriodEnd: billingPeriod(table, period)['BillingPeriodStart'] ?? text('NULL'),
    ...costs(table),
    ...billingPeriod(table, period),
    ...keysOf(table),
    ...copied([
      ...(table.service === null ? [] : [GROUP.service]),
      ...(table.resourceGroup === null ? [] : [GROUP.resourceGroup]),
    ]),
    ...(table.tags === null ? {} : { Tags: text(quoted(GROUP.tags)) }),
  };
  return {
    path,
    opened: path,
    format: 'parquet',
    columns: described(spend, table),
    count: null,
    delivery,
    ...(writtenOn === null ? {} : { writtenOn }),
    grouped: {
      from,
      values: {
        from: `(SELECT ${FILE}, ${selected(values)}, CAST(${GROUP.lines} AS BIGINT) AS group_rows FROM temp.main.table_values WHERE ${ofFile})`,
        columns: described(values, table),
      },
    },
  };
}
