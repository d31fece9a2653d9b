import { asWritten, isTime, nullable, quoted, timeCell, timeFromText, writtenOut } from '../cells.ts';
import type { ExportColumn, ExportFile } from '../export-files.ts';
import { relationsOf } from '../scan-files.ts';

/** Columns that tell rows apart in FOCUS and in any other kind of feed, the best ones first. */
const TELLING = [
  'chargeperiodstart',
  'effectivecost',
  'subaccountid',
  'resourceid',
  'servicename',
  'chargeperiodend',
  'date',
  'day',
  'totalcost',
  'cost',
  'usage',
  'pod',
  'container',
  'controllername',
  'namespace',
  'host',
  'service',
  'tool',
  'repository',
  'cluster',
  'name',
  'providerid',
];

/** More columns would take longer to hash than to read. */
const MOST_TELLING = 6;

/** How the rows of several files are compared. */
export interface CommonRows {
  /** Selects the rows of some of the files: file, `telling` and `whole` (hashes of a row), `day` (its first telling value). */
  rowsOf: (files: readonly ExportFile[]) => string;
}

/** The key by which columns of files are matched. */
export const keyOf = ({ name }: Pick<ExportColumn, 'name'>): string => name.trim().toLowerCase();

/** Returns the columns of a file that tell its rows apart, the day first. */
export type TellingColumns = (file: ExportFile) => readonly string[];

const inAnyFeed: TellingColumns = () => TELLING;

/** Returns how to compare the rows of files by the columns that all of them have; null if they have too few in common. */
export function commonRows(
  files: readonly ExportFile[],
  tellingColumns: TellingColumns = inAnyFeed,
): CommonRows | null {
  const shapes = [...new Map(files.map((file) => [file.columns, file])).values()];
  // Values of different types are compared by what they mean. Files of one type are compared as they are written, which is quick.
  const types = new Set(
    shapes.map(({ format, columns }) => `${format} ${columns.map((c) => c.type).join()}`),
  );
  const isMixed = shapes.some(({ format }) => format === 'parquet') && types.size > 1;
  const [first, ...others] = shapes.map(
    ({ columns }) =>
      new Set(columns.filter((column) => !column.isRepeated && !(isMixed && isNested(column))).map(keyOf)),
  );
  const keys = [...(first ?? [])].filter((key) => others.every((other) => other.has(key))).sort();
  const named = shapes.slice(0, 1).flatMap((shape) => tellingColumns(shape));
  const known = named
    .map((name) => keyOf({ name }))
    .filter((key) => keys.includes(key))
    .slice(0, MOST_TELLING);
  const telling = known.length > 1 ? known : keys.slice(0, MOST_TELLING);
  const [day] = telling;
  if (day === undefined) return null;
  return {
    rowsOf: (some) =>
      relationsOf(some, 'skipped')
        .map((relation) => {
          const cells = new Map(
            relation.columns
              .filter(({ isRepeated }) => isRepeated !== true)
              .map((column) => [keyOf(column), isMixed ? meant(column) : asItIs(column)]),
          );
          const hash = (of: readonly string[]): string =>
            `hash(${of.map((key) => cells.get(key) ?? 'NULL').join(', ')})`;
          return `SELECT ${quoted(relation.fileColumn)} AS file, ${hash(telling)} AS telling, ${hash(keys)} AS whole,
            ${cells.get(day) ?? 'NULL'} AS day FROM ${relation.from}`;
        })
        .join('\nUNION ALL\n'),
  };
}

const isNested = ({ type }: ExportColumn): boolean => /^(MAP|STRUCT|UNION)\(|\]$/.test(type);

/** Returns a cell as the text of its file, null for the spellings of null. */
const asItIs = (column: ExportColumn): string => nullable(asWritten(column));

/** Returns a cell as a text that is equal for equal values: of numbers, of times, and of other texts. */
function meant(column: ExportColumn): string {
  if (isTime(column)) return writtenOut(timeCell(column));
  const text = nullable(`trim(${asWritten(column)})`);
  return `COALESCE(${writtenOut(`TRY_CAST(${text} AS DECIMAL(38,15))`)}, ${writtenOut(timeFromText(text))}, lower(${text}))`;
}
