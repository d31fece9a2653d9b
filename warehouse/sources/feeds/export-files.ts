import { invalid } from '../../../domain/shared/errors.ts';
import type { CostSet } from '../../../domain/sources/exports/cost-set.ts';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { Statements } from '../../engine/session.ts';

/** A file of a billing export, its format, and its columns in file order. */
export interface ExportFile {
  path: string;
  /** The path that is opened, because `path` may lead to another file by then. */
  opened: string;
  format: 'csv' | 'parquet';
  columns: ExportColumn[];
  /** Counts the rows without the reader; null if they cannot be counted. */
  count: CountRows | null;
  /** The UTC day on which it was written; absent if that is not known. */
  writtenOn?: Day;
  /** What delivered it together with others (export-manifest.ts); absent if it came alone. */
  delivery?: string;
  /** The set of costs that it has, if Azure's manifest or its name says so. */
  costSet?: CostSet;
  /** The name of another delivery that has all of its rows, too, perhaps by chance. Both count. */
  alsoIn?: string;
  /** The rows that a platform has made of the lines of a table, in place of a file (focus/tables/table-rows.ts). */
  grouped?: GroupedRows;
}

/** Rows that stand for several lines each, and the rows for the list of what bills can be divided by. */
interface GroupedRows {
  /** A FROM item with the columns of the file, `export_file`, `group_rows` and `group_credit_rows`. */
  from: string;
  values: { from: string; columns: ExportColumn[] };
}

/**
 * Counts a file's rows, and those of more than {@link LONGEST_LINE_BYTES}. Counting by lines is quick. Counting by records
 * handles line breaks within quotes. A remote file may change between the two.
 */
export type CountRows = (
  by: 'lines' | 'records',
  signal: AbortSignal,
) => Promise<{ rows: number; longRows: number; isRemote: boolean }>;

/** DuckDB rejects longer lines. */
export const LONGEST_LINE_BYTES = 2_000_000;

/** Exports have about a hundred columns. */
export const MOST_COLUMNS = 10_000;

export interface ExportColumn {
  name: string;
  /** Whether a later column has the same name, except for case and blanks, so that the name is ambiguous. */
  isRepeated?: boolean;
  /** DuckDB's type of the column; a CSV file's columns are all VARCHAR. */
  type: string;
  /** The column's own type, if DuckDB cannot read its numbers exactly. */
  inexact?: string;
  /** Of a column that is made of the file's own ones: what the file calls it, and the column with its own value. */
  written?: { called: { name: string; sql: string }; as?: string };
}

/**
 * How to read every CSV export: RFC 4180, and the three spellings of null, nothing else
 * (docs/data-formats.md#focus-billing-exports). DuckDB's default buffer is sixteen times the longest line, with several buffers
 * for each thread.
 */
export const CSV_OPTIONS = `auto_detect = false, delim = ',', quote = '"', escape = '"', comment = '', skip = 0,
  hive_partitioning = false, max_line_size = ${LONGEST_LINE_BYTES}, buffer_size = ${2 * LONGEST_LINE_BYTES},
  nullstr = ['NULL', 'null', '']`;

/** Returns `csv` or `parquet` by the file's name, or null for any other file. */
export function formatOf(path: string): ExportFile['format'] | null {
  const name = /^https?:/.test(path) ? new URL(path).pathname : path;
  if (/\.parquet$/i.test(name)) return 'parquet';
  return /\.csv(\.gz)?$/i.test(name) ? 'csv' : null;
}

/** Describes a CSV file by the names in its header. */
export const describeCsv = (
  { path, opened }: Pick<ExportFile, 'path' | 'opened'>,
  names: readonly string[],
  count: CountRows | null,
): ExportFile => ({ path, opened, format: 'csv', columns: namedColumns(names), count });

/** Reads the columns of a Parquet file. Throws if it is not Parquet. */
export async function describeParquet(
  session: Statements,
  path: string,
  opened: string,
): Promise<ExportFile> {
  await refuseWideParquet(session, path, opened);
  const rows = await parquetRows(session, opened);
  return {
    path,
    opened,
    format: 'parquet',
    columns: await parquetColumns(session, opened),
    count: () => Promise.resolve({ rows, longRows: 0, isRemote: /^(s3|gs|az|https?):/i.test(path) }),
  };
}

/** Throws `invalid` if a Parquet file has more columns, longer names or other characters than a CSV header may have. */
async function refuseWideParquet(session: Statements, path: string, opened: string): Promise<void> {
  const [schema] = await session.query<{ fields: string; bytes: string; name: string | null }>(
    `SELECT count(*) - 1 AS fields, sum(strlen(name)) AS bytes,
       first(left(name, 80)) FILTER (regexp_matches(name, '[\\x00-\\x08\\x0a-\\x1f\\x7f]')) AS name
     FROM parquet_schema($path)`,
    { path: patternOf(opened) },
  );
  const [fields, bytes, name] = [Number(schema?.fields), Number(schema?.bytes), schema?.name ?? null];
  const refuse = (expected: string, got: string): never => {
    throw invalid(`${withoutQuery(path)}: expected ${expected}, got ${got}; nothing was loaded`);
  };
  if (fields > MOST_COLUMNS) refuse(`at most ${MOST_COLUMNS} columns and fields`, String(fields));
  if (bytes > LONGEST_LINE_BYTES)
    refuse(`column names of at most ${LONGEST_LINE_BYTES} bytes in all`, String(bytes));
  if (name !== null) refuse('column names without control characters', JSON.stringify(name));
}

/** Returns the row count in a Parquet file's metadata. */
async function parquetRows(session: Statements, opened: string): Promise<number> {
  const [row] = await session.query<{ row_count: string }>(
    'SELECT sum(num_rows)::BIGINT AS row_count FROM parquet_file_metadata($path)',
    { path: patternOf(opened) },
  );
  return Number(row?.row_count);
}

async function parquetColumns(session: Statements, opened: string): Promise<ExportColumn[]> {
  const rows = await session.query<{ column_name: string; column_type: string }>(
    'SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet($path, hive_partitioning = false))',
    { path: patternOf(opened) },
  );
  // DuckDB renames the later columns of one name.
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const stored = await storedColumns(session, opened);
  for (const { name } of stored)
    if (seen.has(columnKey(name))) repeated.add(columnKey(name));
    else seen.add(columnKey(name));
  return rows.map(({ column_name: name, column_type: type }, index) => {
    const inexact = stored[index]?.inexact ?? null;
    return {
      name,
      type,
      isRepeated: repeated.has(columnKey(name)),
      ...(inexact === null ? {} : { inexact }),
    };
  });
}

/**
 * Returns a Parquet file's columns with their stored names, and whether a field in them is inexact. DuckDB reads decimals of more
 * than 38 digits as binary numbers, and gets them wrong.
 */
async function storedColumns(
  session: Statements,
  opened: string,
): Promise<{ name: string; inexact: string | null }[]> {
  const [, ...elements] = await session.query<{
    name: string;
    num_children: string | null;
    inexact: string | null;
  }>(
    `SELECT name, num_children,
       CASE WHEN (converted_type = 'DECIMAL' OR logical_type LIKE 'DecimalType%') AND NOT starts_with(duckdb_type, 'DECIMAL')
         THEN 'DECIMAL(' || precision || ',' || scale || ')' END AS inexact
     FROM parquet_schema($path)`,
    { path: patternOf(opened) },
  );
  const columns: { name: string; inexact: string | null }[] = [];
  let within = 0;
  for (const { name, num_children: children, inexact } of elements) {
    const column = columns.at(-1);
    if (within === 0 || column === undefined) columns.push({ name, inexact });
    else {
      within -= 1;
      column.inexact ??= inexact;
    }
    within += Number(children ?? 0);
  }
  return columns;
}

/** A field that a load reads: its column names, and the file's columns that hold it. */
interface ReadColumns {
  names: readonly string[];
  found: readonly ExportColumn[];
  isMandatory: boolean;
}

/**
 * Returns the mandatory columns that a file lacks, each with its other names.
 *
 * @throws ServiceError `invalid` if DuckDB cannot read the numbers of a column exactly.
 */
export function missingOf({ path }: ExportFile, read: readonly ReadColumns[]): string[] {
  const inexact = read.flatMap(({ found }) => found).find((column) => column.inexact !== undefined);
  if (inexact !== undefined)
    throw invalid(
      `${withoutQuery(path)}: column ${inexact.name}: expected decimals of at most 38 digits, got ${String(inexact.inexact)}; nothing was loaded`,
    );
  return read
    .filter(({ isMandatory, found }) => isMandatory && found.length === 0)
    .map(({ names }) => names.join(' or '));
}

/** Removes a URL's query, because the query of a signed URL is a credential. */
export const withoutQuery = (path: string): string => path.replace(/\?.*$/, '');

/** Returns a pattern that only this path matches, because DuckDB reads `*`, `?` and `[` as wildcards. */
export const patternOf = (path: string): string =>
  /^https?:/i.test(path) ? path : path.replace(/[*?[]/g, '[$&]');

/** Returns whether a CSV file is compressed, by its name, in any case. */
export const isCompressed = (path: string): boolean =>
  /\.gz$/i.test(/^https?:/.test(path) ? new URL(path).pathname : path);

/** Returns a CSV file's compression as a SQL literal. */
export const compressionOf = (path: string): string => (isCompressed(path) ? `'gzip'` : `'none'`);

const columnKey = (name: string): string => name.trim().toLowerCase();

/** Names the columns of a CSV header. Empty and repeated names are replaced, because DuckDB needs a name for each column. */
function namedColumns(names: readonly string[]): ExportColumn[] {
  const seen = new Map<string, ExportColumn>();
  return names.map((name, index) => {
    const before = seen.get(columnKey(name));
    if (before !== undefined) before.isRepeated = true;
    const known = name.trim() === '' || before !== undefined ? `unnamed column ${index + 1}` : name;
    const column: ExportColumn = { name: known, type: 'VARCHAR' };
    seen.set(columnKey(known), column);
    return column;
  });
}
