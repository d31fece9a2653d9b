import { escapeGlob } from './glob.ts';

/** A folder that is a table of its own format, whose data files are not its current rows. */
export interface FoundTable {
  /** The table's folder, with a slash at its end. */
  folder: string;
  format: string;
  /** What the folder has of the format. */
  has: string;
}

/** The formats that keep deleted and replaced rows in files beside the current ones, by what only they have. */
const FORMATS: readonly { format: string; has: string; glob: string; file: RegExp }[] = [
  { format: 'Delta Lake', has: '_delta_log', glob: '_delta_log/*', file: /^(.*\/|)_delta_log\/[^/]+$/s },
  { format: 'Apache Hudi', has: '.hoodie', glob: '.hoodie/*', file: /^(.*\/|)\.hoodie\/[^/]+$/s },
  {
    format: 'Apache Iceberg',
    has: 'metadata/*.metadata.json',
    glob: 'metadata/*.metadata.json',
    file: /^(.*\/|)metadata\/[^/]+\.metadata\.json$/s,
  },
];

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf('/'); at !== -1; at = at === 0 ? -1 : path.lastIndexOf('/', at - 1))
    folders.push(path.slice(0, at + 1));
  return folders;
}

/** Returns the first table among listed paths that one of the data files lies in; null without such a table. */
export function tableAmong(paths: readonly string[], files: readonly string[]): FoundTable | null {
  const holding = new Set(files.flatMap(foldersOf));
  for (const path of paths)
    for (const { format, has, file } of FORMATS) {
      const [, folder] = file.exec(path) ?? [];
      if (folder !== undefined && holding.has(folder)) return { folder, format, has };
    }
  return null;
}

/** The end of a path within a table: folders of partitions, such as `day=2026-01-31`, and Iceberg's folder of data. */
const WITHIN_TABLE = /\/((data|[^/=]+=[^/]*)\/)+$/;

/**
 * Returns globs for what shows that data files are part of a table: beside them, or beside a folder that they lie in. The search
 * begins at the fixed part of the listed pattern. If that part names a part of a table, it begins at the folder of the table. A
 * partition's folder is never a whole table, and there can be thousands of them.
 */
export function tableGlobs(files: readonly string[], pattern: string): string[] {
  const wildcard = pattern.search(/[*?[\\]/);
  const fixed = pattern.slice(
    0,
    (wildcard === -1 ? pattern : pattern.slice(0, wildcard)).lastIndexOf('/') + 1,
  );
  const begin = fixed.replace(WITHIN_TABLE, '/');
  const folders = new Set(
    files
      .flatMap(foldersOf)
      .filter((folder) => folder.startsWith(begin) && !/\/[^/=]+=[^/]*\/$/.test(folder)),
  );
  return [...folders].flatMap((folder) => FORMATS.map(({ glob }) => `${escapeGlob(folder)}${glob}`));
}
