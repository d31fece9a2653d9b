import { formatOf } from '../../../warehouse/sources/feeds/export-files.ts';
import type { ListedFile } from '../source-files.ts';

/** How much there is to read in a byte of a file, compared with CSV. Columns that nobody asks for are skipped in Parquet. */
const WEIGHTS = { csv: 1, gzip: 8, parquet: 2 } as const;

const weightOf = ({ path, bytes }: ListedFile): number =>
  (bytes ?? 0) * WEIGHTS[/\.gz$/i.test(path) ? 'gzip' : (formatOf(path) ?? 'csv')];

/** Returns files in the order in which they were written, the newest first. */
export const newestFirst = <File extends ListedFile>(files: readonly File[]): File[] =>
  [...files].sort(
    (one, other) =>
      (other.writtenAt ?? 0) - (one.writtenAt ?? 0) ||
      (one.path === other.path ? 0 : one.path < other.path ? 1 : -1),
  );

/** Returns the newest files that together are no more to read than so many bytes of CSV, at least of one. */
export function newestFiles(files: readonly ListedFile[], mostBytes: number): ListedFile[] {
  const chosen = new Set<string>();
  let weight = 0;
  for (const file of newestFirst(files)) {
    weight += weightOf(file);
    if (weight > mostBytes && chosen.size > 0) break;
    chosen.add(file.path);
  }
  return files.filter(({ path }) => chosen.has(path));
}
