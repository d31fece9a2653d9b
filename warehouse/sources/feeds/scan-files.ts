import {
  compressionOf,
  CSV_OPTIONS,
  patternOf,
  withoutQuery,
  type CountRows,
  type ExportColumn,
  type ExportFile,
} from './export-files.ts';
import { quoted } from './cells.ts';
import type { WrittenFile } from './written-files.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';

/** Rows that one FROM item reads: files of one shape, or a temporary table. */
export interface Relation {
  from: string;
  /** The column that names the file of a row. */
  fileColumn: string;
  format: ExportFile['format'];
  columns: readonly ExportColumn[];
  /** Functions that count the rows of the relation's parts; null for a part that cannot be counted. */
  counts: readonly (CountRows | null)[];
  /** The column with a hash of the whole row of the file, if the columns are not the file's own. */
  line?: string;
  /** The columns with tags, if they are not those of FOCUS. */
  tags?: readonly TagColumn[];
  /** The column that tells sets of costs apart, of which only one counts (azure-sets.ts). */
  costSet?: string;
  /** The files, in the order in which the scan numbers them (`file_index`); absent for a temporary table. */
  files?: readonly Pick<ExportFile, 'path' | 'opened'>[];
  /** The files of which it is known when they were written. */
  written?: readonly WrittenFile[];
  /** The files whose rows another delivery has, too, perhaps by chance. */
  alsoIn?: readonly AlsoIn[];
  /** What the list of values is made from, if each row of this relation stands for `group_rows` lines. */
  values?: Relation;
}

/** A file as its rows name it, its own name, and the delivery that has its rows, too. */
interface AlsoIn {
  file: string;
  name: string;
  other: string;
}

/** A column with tags, and how it spells their keys. */
export interface TagColumn {
  column: ExportColumn;
  /** The key, if the column has the values of a single tag. */
  key?: string;
  /** What can stand before keys in the file, and is no part of them. */
  prefixes: readonly string[];
  /** What stands before these keys, and is not in the file. */
  group: string;
}

/** What files of one shape have in common. */
export type Shape = Pick<Relation, 'format' | 'columns' | 'line' | 'tags' | 'costSet' | 'values'>;

/** Returns the SQL of the number of a row's file among those of its scan, from 0. A column of the files can hide DuckDB's own number. */
export const fileIndexOf = ({ files = [], fileColumn, columns, values }: Relation): string =>
  values !== undefined
    ? '0'
    : columns.some(({ name }) => name.trim().toLowerCase() === 'file_index')
      ? `list_position([${files.map(({ opened }) => sqlText(opened)).join(', ')}], ${quoted(fileColumn)}) - 1`
      : 'file_index';

/** Returns the SQL of a hash of a whole row of the file, also of the cells that are not read; null if a row stands for several lines. */
export function lineOf({ columns, line, values }: Shape): string {
  if (values !== undefined) return 'CAST(NULL AS UBIGINT)';
  if (line !== undefined) return quoted(line);
  const cells = columns.filter(({ isRepeated }) => isRepeated !== true).map(({ name }) => quoted(name));
  return cells.length === 0 ? 'CAST(NULL AS UBIGINT)' : `hash(${cells.join(', ')})`;
}

/** Files with the same format, columns and compression, which one scan reads. */
type FilesOfShape = readonly [ExportFile, ...ExportFile[]];

function byShape(files: readonly ExportFile[]): FilesOfShape[] {
  const shapes = new Map<string, [ExportFile, ...ExportFile[]]>();
  // Each array of columns is serialised once, because files share it and it may be long.
  const texts = new Map<readonly ExportColumn[], string>();
  for (const file of files) {
    const columns = texts.get(file.columns) ?? JSON.stringify(file.columns);
    texts.set(file.columns, columns);
    const shape = `${file.format} ${compressionOf(file.path)} ${columns}`;
    const same = shapes.get(shape);
    if (same === undefined) shapes.set(shape, [file]);
    else same.push(file);
  }
  return [...shapes.values()];
}

/** Returns a name for the column with the file of a row. The files have no column of that name. */
function fileColumnOf(columns: readonly ExportColumn[]): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = 'export_file';
  while (taken.has(name)) name += '_';
  return name;
}

/**
 * Returns the relations that read these files, one for each set of columns.
 *
 * @param brokenLines a second reading of the same files skips the lines that the first has counted.
 */
export const relationsOf = (
  files: readonly ExportFile[],
  brokenLines: keyof typeof BROKEN_LINES = 'counted',
): Relation[] => [
  ...files.flatMap(groupedRelation),
  ...byShape(files.filter(({ grouped }) => grouped === undefined)).map((same) => ({
    from: scanOf(same, brokenLines),
    fileColumn: fileColumnOf(same[0].columns),
    format: same[0].format,
    columns: same[0].columns,
    counts: same.map(({ count }) => count),
    files: same,
    written: same.flatMap(({ opened, writtenOn }) =>
      writtenOn === undefined ? [] : [{ file: opened, writtenOn }],
    ),
    alsoIn: same.flatMap(({ opened, path, alsoIn }) =>
      alsoIn === undefined ? [] : [{ file: opened, name: withoutQuery(path), other: withoutQuery(alsoIn) }],
    ),
  })),
];

/** Returns the relation of a table whose lines are grouped already; none for a file. */
function groupedRelation(file: ExportFile): Relation[] {
  const { grouped, columns, opened, writtenOn } = file;
  if (grouped === undefined) return [];
  const rows = { fileColumn: 'export_file', format: 'parquet', counts: [null] } as const;
  const written = writtenOn === undefined ? [] : [{ file: opened, writtenOn }];
  return [
    { ...rows, from: grouped.from, columns, files: [file], written, values: { ...rows, ...grouped.values } },
  ];
}

/** Lines that are not CSV are counted in the temporary table `broken_lines` (rejected-rows.ts), or skipped. */
const BROKEN_LINES = {
  counted: `store_rejects = true, rejects_table = 'broken_lines', rejects_scan = 'broken_line_scans'`,
  skipped: 'ignore_errors = true',
} as const;

function scanOf(files: FilesOfShape, brokenLines: keyof typeof BROKEN_LINES): string {
  const [{ format, path, columns }] = files;
  const fileColumn = sqlText(fileColumnOf(columns));
  const paths = `[${files.map(({ opened }) => sqlText(patternOf(opened))).join(', ')}]`;
  if (format === 'parquet')
    return `read_parquet(${paths}, filename = ${fileColumn}, hive_partitioning = false)`;
  const types = columns.map(({ name }) => `${sqlText(name)}: 'VARCHAR'`).join(', ');
  return `read_csv(${paths}, ${CSV_OPTIONS}, header = true, compression = ${compressionOf(path)}, columns = {${types}},
    filename = ${fileColumn}, ${BROKEN_LINES[brokenLines]})`;
}
