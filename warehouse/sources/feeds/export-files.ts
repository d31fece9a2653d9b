import { invalid } from '../../../domain/shared/errors.ts';
import { widenGlob } from '../../../domain/sources/glob.ts';
import type { Statements } from '../../engine/session.ts';

/** A file of a billing export, its format, and its columns as they stand in it. */
export interface ExportFile {
  path: string;
  /** The path under which it is opened, because its own may lead to another file by then. */
  opened: string;
  format: 'csv' | 'parquet';
  columns: ExportColumn[];
  /** Counts the rows without the reader; null if nothing counts them. */
  count: CountRows | null;
}

/**
 * Counts a file's rows: `by` lines, which is quick, or by records, which takes line breaks within quotes for what they are;
 * and those of more than {@link LONGEST_LINE_BYTES}. A remote file may not be the same for the one and the other.
 */
export type CountRows = (
  by: 'lines' | 'records',
  signal: AbortSignal,
) => Promise<{ rows: number; longRows: number; isRemote: boolean }>;

/** DuckDB rejects longer lines. */
export const LONGEST_LINE_BYTES = 2_000_000;

/** Exports have a hundred columns or so. */
export const MOST_COLUMNS = 10_000;

export interface ExportColumn {
  name: string;
  /** Whether a later column has the same name, but for case and blanks: nobody knows which of them is meant. */
  isRepeated?: boolean;
  /** DuckDB's type of the column; a CSV file's columns are all VARCHAR. */
  type: string;
  /** The column's own type, if DuckDB would read other numbers than the column holds. */
  inexact?: string;
}

/**
 * How every CSV export is read: RFC 4180, and the three spellings of null, nothing else (sources §1). By itself DuckDB takes
 * sixteen times the longest line for a buffer, and several of them for each thread.
 */
export const CSV_OPTIONS = `auto_detect = false, delim = ',', quote = '"', escape = '"', comment = '', skip = 0,
  hive_partitioning = false, max_line_size = ${LONGEST_LINE_BYTES}, buffer_size = ${2 * LONGEST_LINE_BYTES},
  nullstr = ['NULL', 'null', '']`;

/** The objects that an `s3://` glob matches, and others whose names begin as it does; in order. */
export const listObjects = async (session: Statements, glob: string): Promise<string[]> => {
  const rows = await session.query<{ file: string }>('SELECT file FROM glob($pattern) ORDER BY file', {
    pattern: widenGlob(glob),
  });
  return rows.map(({ file }) => file);
};

/** `csv` or `parquet` by the file's name, or null for any other file. */
export const formatOf = (path: string): ExportFile['format'] | null => {
  const name = /^https?:/.test(path) ? new URL(path).pathname : path;
  if (/\.parquet$/i.test(name)) return 'parquet';
  return /\.csv(\.gz)?$/i.test(name) ? 'csv' : null;
};

/** Reads the columns of a file from its header. Throws if a `.parquet` file is not Parquet. */
export const describeFile = async (session: Statements, path: string, opened = path): Promise<ExportFile> => {
  const format = formatOf(path);
  if (format === null) {
    throw invalid(`location: expected .csv, .csv.gz or .parquet files, got ${JSON.stringify(path)}`);
  }
  if (format === 'csv')
    return {
      path,
      opened,
      format,
      columns: await csvColumns(session, opened, compressionOf(path)),
      count: null,
    };
  await refuseWideParquet(session, path, opened);
  const rows = await parquetRows(session, opened);
  return {
    path,
    opened,
    format,
    columns: await parquetColumns(session, opened),
    count: () => Promise.resolve({ rows, longRows: 0, isRemote: /^(s3|https?):/i.test(path) }),
  };
};

/** Throws `invalid` if a Parquet file has more columns, or longer names, than a header of CSV may have. */
const refuseWideParquet = async (session: Statements, path: string, opened: string): Promise<void> => {
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
    refuse(`names of columns of at most ${LONGEST_LINE_BYTES} bytes in all`, String(bytes));
  if (name !== null) refuse('names of columns without control characters', JSON.stringify(name));
};

/** How many rows a Parquet file says it has. */
const parquetRows = async (session: Statements, opened: string): Promise<number> => {
  const [row] = await session.query<{ row_count: string }>(
    'SELECT sum(num_rows)::BIGINT AS row_count FROM parquet_file_metadata($path)',
    { path: patternOf(opened) },
  );
  return Number(row?.row_count);
};

const parquetColumns = async (session: Statements, opened: string): Promise<ExportColumn[]> => {
  const rows = await session.query<{ column_name: string; column_type: string }>(
    'SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet($path, hive_partitioning = false))',
    { path: patternOf(opened) },
  );
  // DuckDB gives the later columns of one name other names.
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
};

/**
 * A Parquet file's columns as they stand in it, without the fields within them. DuckDB reads decimals of more than 38 digits
 * as binary numbers, and gets them wrong.
 */
const storedColumns = async (
  session: Statements,
  opened: string,
): Promise<{ name: string; inexact: string | null }[]> => {
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
};

/** What a load reads of each row, by its names, and the columns of a file that have it. */
interface ReadColumns {
  names: readonly string[];
  found: readonly ExportColumn[];
  isMandatory: boolean;
}

/**
 * The mandatory columns that a file lacks, each with its other names.
 *
 * @throws ServiceError `invalid` if DuckDB would read other numbers than a column holds.
 */
export const missingOf = ({ path }: ExportFile, read: readonly ReadColumns[]): string[] => {
  const inexact = read.flatMap(({ found }) => found).find((column) => column.inexact !== undefined);
  if (inexact !== undefined)
    throw invalid(
      `${withoutQuery(path)}: column ${inexact.name}: expected decimals of at most 38 digits, got ${String(inexact.inexact)}; nothing was loaded`,
    );
  return read
    .filter(({ isMandatory, found }) => isMandatory && found.length === 0)
    .map(({ names }) => names.join(' or '));
};

/** A signed URL's query is a credential. */
export const withoutQuery = (path: string): string => path.replace(/\?.*$/, '');

// DuckDB's own sniffer gives up on a whole file for one broken line, so the header is read as a line of text.
const csvColumns = async (
  session: Statements,
  opened: string,
  compression: string,
): Promise<ExportColumn[]> => {
  const [header] = await session.query<{ names: string[] }>(
    `SELECT list_transform(
       regexp_extract_all(ltrim(line, chr(65279)), '("(?:[^"]|"")*"|[^,]*)(?:,|$)', 1),
       lambda name: replace(trim(name, '"'), '""', '"')) AS names
     FROM read_csv($path, auto_detect = false, header = false, delim = '\x01', quote = '', escape = '',
       columns = {line: 'VARCHAR'}, ignore_errors = true, strict_mode = false, compression = ${compression})
     LIMIT 1`,
    { path: patternOf(opened) },
  );
  // The pattern also matches the nothing behind the last name.
  return namedColumns((header?.names ?? []).slice(0, -1));
};

/** A file's path as a pattern that it alone matches: DuckDB takes its `*`, `?` and `[` for wildcards. */
export const patternOf = (path: string): string =>
  /^https?:/i.test(path) ? path : path.replace(/[*?[]/g, '[$&]');

/** Whether a CSV file is compressed, by its name, in any case. */
export const isCompressed = (path: string): boolean =>
  /\.gz$/i.test(/^https?:/.test(path) ? new URL(path).pathname : path);

/** A CSV file's compression as a SQL literal. */
export const compressionOf = (path: string): string => (isCompressed(path) ? `'gzip'` : `'none'`);

/** What makes two columns' names the same. */
const columnKey = (name: string): string => name.trim().toLowerCase();

/** Columns without a name, or with one that was there before, are unknown ones: they only need a name to be read. */
const namedColumns = (names: readonly string[]): ExportColumn[] => {
  const seen = new Map<string, ExportColumn>();
  return names.map((name, index) => {
    const before = seen.get(columnKey(name));
    if (before !== undefined) before.isRepeated = true;
    const known = name.trim() === '' || before !== undefined ? `unnamed column ${index + 1}` : name;
    const column: ExportColumn = { name: known, type: 'VARCHAR' };
    seen.set(columnKey(known), column);
    return column;
  });
};
