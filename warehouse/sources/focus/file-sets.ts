import type { ExportFile } from '../feeds/export-files.ts';
import { fileIndexOf, relationsOf, type Relation } from '../feeds/scan-files.ts';

// Each group of a bill keeps the set of its files. So one reading tells a run which files have rows of a billing period. Files as a
// group key would multiply the groups.

/** A BIGINT has room for so many files. */
const FILES_OF_SET = 62;

/** More files share numbers with the files beside them: then a file seems to have the periods of its neighbours, too. */
const MOST_SETS = 32;

/** Returns how many files share a number. */
const sharing = (files: number): number => Math.ceil(files / (FILES_OF_SET * MOST_SETS));

const setsOf = (files: number): number => Math.ceil(files / sharing(files) / FILES_OF_SET);

/** Returns the SQL of the number of a row's file, for each relation. A scan numbers its own files from 0. */
export function fileNumbers(relations: readonly Relation[]): string[] {
  const all = relations.reduce((sum, { files = [] }) => sum + files.length, 0);
  let first = 0;
  return relations.map((relation) => {
    const { files = [] } = relation;
    const number = `CAST((${first} + ${fileIndexOf(relation)}) // ${sharing(all)} AS INTEGER)`;
    first += files.length;
    return files.length === 0 ? 'CAST(NULL AS INTEGER)' : number;
  });
}

/** Returns the aggregates of the files that have a group's rows, by `file_number`. A single file has all groups. */
export const fileSets = (files: number): string =>
  files === 1
    ? 'CAST(1 AS BIGINT) AS file_set_0'
    : Array.from(
        { length: setsOf(files) },
        (_, set) =>
          `bit_or(CASE WHEN file_number // ${FILES_OF_SET} = ${set} THEN CAST(1 AS BIGINT) << (file_number % ${FILES_OF_SET}) END) AS file_set_${set}`,
      ).join(', ');

/** Returns the SQL of the sets of several groups together, as a list of texts. */
export const fileSetsTogether = (files: number): string =>
  `[${Array.from({ length: setsOf(files) }, (_, set) => `CAST(COALESCE(bit_or(file_set_${set}), 0) AS VARCHAR)`).join(', ')}]`;

/** Returns the paths of the files that are in {@link fileSetsTogether}. */
export function filesIn(sets: readonly string[], files: readonly ExportFile[]): string[] {
  const paths = relationsOf(files).flatMap((relation) => relation.files?.map(({ path }) => path) ?? []);
  const bits = sets.map(BigInt);
  return paths.filter((_, index) => {
    const number = Math.floor(index / sharing(files.length));
    return (((bits[Math.floor(number / FILES_OF_SET)] ?? 0n) >> BigInt(number % FILES_OF_SET)) & 1n) === 1n;
  });
}
