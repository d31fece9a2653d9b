import { invalid } from '../../domain/shared/errors.ts';
import { firstAndMore } from '../../domain/shared/for-message.ts';
import { otherSeparator } from '../../domain/sources/other-separator.ts';
import {
  describeCsv,
  describeParquet,
  formatOf,
  withoutQuery,
  type ExportColumn,
  type ExportFile,
} from '../../warehouse/sources/feeds/export-files.ts';
import type { Publish } from '../../warehouse/sources/publishing/publish-load.ts';
import { systemClock } from '../../domain/shared/clock.ts';
import { dayWritten } from '../../domain/sources/day-written.ts';
import { leaveOutCopies } from '../../warehouse/sources/feeds/copies/leave-out-copies.ts';
import { exportFiles } from './export-location.ts';
import type { SourceReading } from './source-reading.ts';
import { readCsvHeader, refuseChangedFiles, rowCounter, versionsOf } from './whole-files.ts';

const MOST_NOTES = 50;

/** The files to read, and notes on others. */
export interface ReadableFiles {
  files: ExportFile[];
  notes: string[];
  /** Publishes a load of the files. Throws `invalid` if one of them has changed since its reading began. */
  publish: Publish;
}

/**
 * Returns the current files of a location, each once and with all mandatory columns. Empty files are left out, and copies of
 * others (leave-out-copies.ts), with a note.
 * Throws `invalid` if there is no file, if one is damaged, or if a header row cannot be read, lacks columns or repeats them.
 *
 * @param missing returns the mandatory columns that a file lacks.
 * @param field the field of the source that holds the location.
 */
export async function readableFiles(
  {
    sessions: { reader },
    scope,
    rules: sourceRules,
    held,
    objectStorage,
    attempt,
    publish,
  }: Omit<SourceReading, 'currency'>,
  location: string,
  missing: (file: ExportFile) => string[],
  field = 'location',
): Promise<ReadableFiles> {
  const { signal } = attempt;
  const current = await exportFiles(reader, location, sourceRules, held, { now: scope.now, field, signal });
  const otherFile = current.files.find((path) => formatOf(path) === null);
  if (otherFile !== undefined)
    throw invalid(
      `${field}: expected .csv, .csv.gz or .parquet files, got ${JSON.stringify(withoutQuery(otherFile))}`,
    );
  const { privateTargets } = sourceRules;
  const rules = { privateTargets, objectStorage, field, signal };
  const versions = await versionsOf(current.files, rules, held);
  const files: ExportFile[] = [];
  const notes = [...current.notes];
  const columnsOfAll = new ColumnsOfFiles();
  const deliveries = new Map(
    current.deliveries.flatMap(({ name, files: its }) => its.map((path) => [path, name])),
  );
  for (const path of current.files) {
    const opened = held.opened(path);
    const isCsv = formatOf(path) === 'csv';
    // DuckDB's own sniffer rejects a whole file for one broken line, and takes memory for every column.
    const header = isCsv ? await readCsvHeader({ path, opened }, rules) : [];
    if (header === null) {
      notes.push(`${withoutQuery(path)} is empty and was left out`);
      continue;
    }
    const described = columnsOfAll.share(
      isCsv ? describeCsv(path, opened, header) : await describeParquet(reader, path, opened),
    );
    const file = { ...described, delivery: deliveries.get(path) ?? path };
    refuseColumns(file, missing);
    const writtenOn = dayWritten(
      [versions.get(path)?.writtenAt ?? null, current.submitted.get(path) ?? null],
      scope.now,
      systemClock.now(),
    );
    const read = writtenOn === null ? file : { ...file, writtenOn };
    files.push(isCsv ? { ...read, count: rowCounter(file, rules) } : read);
  }
  if (files.length === 0) throw invalid(`${field}: every file is empty`);
  const once = await leaveOutCopies(reader, files, current.deliveries);
  return {
    files: once.files,
    notes: firstAndMore([...notes, ...once.notes], MOST_NOTES),
    publish: async (work) => {
      await refuseChangedFiles(versions, rules);
      return publish(work);
    },
  };
}

function refuseColumns(file: ExportFile, missing: (file: ExportFile) => string[]): void {
  const refuse = (columns: readonly string[], why: string): void => {
    if (columns.length === 0) return;
    throw invalid(
      `${withoutQuery(file.path)}: mandatory column ${columns.join('; ')} ${why}; nothing was loaded`,
    );
  };
  if (file.columns.length === 0)
    throw invalid(`${withoutQuery(file.path)}: its header cannot be read; nothing was loaded`);
  const lacking = missing(file);
  if (lacking.length > 0) refuseSeparator(file, missing);
  refuse(lacking, 'is missing');
  const unambiguous = file.columns.filter(({ isRepeated }) => !isRepeated);
  refuse(missing({ ...file, columns: unambiguous }), 'appears more than once');
}

/** Throws `invalid` for a CSV file whose columns are not separated by commas. */
function refuseSeparator(file: ExportFile, missing: (file: ExportFile) => string[]): void {
  if (file.format !== 'csv') return;
  const names = file.columns.map(({ name }) => name);
  const separator = otherSeparator(
    names,
    (others) => missing({ ...file, columns: others.map((name) => ({ name, type: 'VARCHAR' })) }).length,
  );
  if (separator === null) return;
  throw invalid(
    `${withoutQuery(file.path)}: expected commas between the columns, got ${separator}: export the file with commas; nothing was loaded`,
  );
}

/** The most characters that the different headers of a location have together, as JSON. Enough for 4,000 of a hundred columns. */
const MOST_HEADER_CHARACTERS = 16_000_000;

/** The columns of a location's files. Files with the same columns share one list, because there may be thousands. */
class ColumnsOfFiles {
  readonly #known = new Map<string, ExportColumn[]>();
  #characters = 0;

  /**
   * Returns the file with the list of columns that an earlier file with the same columns has. Throws `invalid` if the different
   * headers are too long in all.
   */
  share(file: ExportFile): ExportFile {
    const key = JSON.stringify(file.columns);
    const columns = this.#known.get(key);
    if (columns !== undefined) return { ...file, columns };
    this.#characters += key.length;
    if (this.#characters > MOST_HEADER_CHARACTERS)
      throw invalid(
        `${withoutQuery(file.path)}: expected files with the same columns, got ${this.#known.size + 1} different headers of more than ` +
          `${MOST_HEADER_CHARACTERS} characters in all; nothing was loaded`,
      );
    this.#known.set(key, file.columns);
    return file;
  }
}
