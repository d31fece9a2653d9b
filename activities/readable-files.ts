import { invalid } from '../domain/errors.ts';
import type { SourceRules } from '../egress/source-location.ts';
import { describeFile, formatOf, type ExportFile } from '../warehouse/export-files.ts';
import type { Session } from '../warehouse/session.ts';
import { exportFiles } from './export-location.ts';

/** The files to read, and what was decided about others. */
export interface ReadableFiles {
  files: ExportFile[];
  notes: string[];
}

/**
 * The files that a location stands for now, each with all mandatory columns; blanked ones are left out, with a
 * note. Throws `invalid` when there is none, or one lacks columns.
 *
 * @param missing the mandatory columns that a file lacks.
 * @param field the field of the source that holds the location.
 */
export const readableFiles = async (
  session: Session,
  location: string,
  rules: SourceRules,
  missing: (file: ExportFile) => string[],
  field = 'location',
): Promise<ReadableFiles> => {
  const described = [];
  const current = await exportFiles(session, location, rules, field);
  for (const path of current.files) {
    if (formatOf(path) === null)
      throw invalid(
        `${field}: expected .csv, .csv.gz or .parquet files, got ${JSON.stringify(withoutQuery(path))}`,
      );
    described.push(await describeFile(session, path));
  }
  const files = described.filter(({ columns }) => columns.length > 0);
  const empty = described.filter(({ columns }) => columns.length === 0);
  const notes = [
    ...current.notes,
    ...empty.map(({ path }) => `${withoutQuery(path)} is empty and was left out`),
  ];
  if (files.length === 0) throw invalid(`${field}: every file is empty`);
  for (const file of files) {
    const columns = missing(file);
    if (columns.length > 0) {
      throw invalid(
        `${withoutQuery(file.path)}: mandatory column ${columns.join('; ')} is missing; nothing was loaded`,
      );
    }
  }
  return { files, notes };
};

/** A signed URL's query is a credential. */
const withoutQuery = (path: string): string => path.replace(/\?.*$/, '');
