import { invalid } from '../domain/errors.ts';
import { describeFile, formatOf, withoutQuery, type ExportFile } from '../warehouse/export-files.ts';
import type { Publish } from '../warehouse/publish-load.ts';
import { exportFiles } from './export-location.ts';
import type { SourceReading } from './source-reading.ts';
import { csvHeader, refuseChangedFiles, rowCounter, versionsOf } from './whole-files.ts';

/** The files to read, and what was decided about others. */
export interface ReadableFiles {
  files: ExportFile[];
  notes: string[];
  /** Publishes what was read of them, unless one has changed meanwhile. */
  publish: Publish;
}

/**
 * The files that a location stands for now, each with all mandatory columns, once; empty ones are left out, with a note.
 * Throws `invalid` if there is no file, or one is damaged. It also does if a header cannot be read, lacks columns or repeats them.
 *
 * @param missing the mandatory columns that a file lacks.
 * @param field the field of the source that holds the location.
 */
export const readableFiles = async (
  {
    sessions: { reader },
    rules: sourceRules,
    held,
    objectStorage,
    attempt,
    publish,
  }: Omit<SourceReading, 'currency'>,
  location: string,
  missing: (file: ExportFile) => string[],
  field = 'location',
): Promise<ReadableFiles> => {
  const current = await exportFiles(reader, location, sourceRules, held, field);
  const other = current.files.find((path) => formatOf(path) === null);
  if (other !== undefined)
    throw invalid(
      `${field}: expected .csv, .csv.gz or .parquet files, got ${JSON.stringify(withoutQuery(other))}`,
    );
  const { privateTargets } = sourceRules;
  const rules = { privateTargets, objectStorage, field, signal: attempt.signal };
  const versions = await versionsOf(current.files, rules, held);
  const described = [];
  for (const path of current.files) described.push(await describeFile(reader, path, held.opened(path)));
  const files = described
    .filter(({ columns }) => columns.length > 0)
    .map((file) => (file.format === 'csv' ? { ...file, count: rowCounter(file, rules) } : file));
  const empty = described.filter(({ columns }) => columns.length === 0);
  for (const file of empty) {
    // The reader also finds no columns in what it cannot read.
    if (!(await csvHeader(file, rules)).isAbsent)
      throw invalid(`${withoutQuery(file.path)}: its header cannot be read; nothing was loaded`);
  }
  const notes = [
    ...current.notes,
    ...empty.map(({ path }) => `${withoutQuery(path)} is empty and was left out`),
  ];
  if (files.length === 0) throw invalid(`${field}: every file is empty`);
  const refuse = (file: ExportFile, columns: readonly string[], why: string): void => {
    if (columns.length === 0) return;
    throw invalid(
      `${withoutQuery(file.path)}: mandatory column ${columns.join('; ')} ${why}; nothing was loaded`,
    );
  };
  for (const file of files) {
    const lacking = missing(file);
    // The reader passes over a header that it cannot read, and takes the next line for it.
    if (lacking.length > 0 && file.format === 'csv') await csvHeader(file, rules);
    refuse(file, lacking, 'is missing');
    const unambiguous = file.columns.filter(({ isRepeated }) => !isRepeated);
    refuse(file, missing({ ...file, columns: unambiguous }), 'comes more than once');
  }
  return {
    files,
    notes,
    publish: async (work) => {
      await refuseChangedFiles(versions, rules);
      return publish(work);
    },
  };
};
