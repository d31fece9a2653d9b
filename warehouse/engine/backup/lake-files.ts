import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { firstAndMore } from '../../../domain/shared/text/for-message.ts';
import { CATALOG, localFolder } from '../location.ts';
import type { Session } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';

/** Files by their path below the data path of a DuckLake, with their sizes in bytes. */
export type Files = ReadonlyMap<string, number>;

/** What it takes from a catalog to name its files: tables, and columns of each. */
export const NAMING = {
  ducklake_schema: ['schema_id', 'path', 'path_is_relative'],
  ducklake_table: ['table_id', 'schema_id', 'path', 'path_is_relative'],
  ducklake_data_file: ['table_id', 'path', 'path_is_relative', 'file_size_bytes'],
  ducklake_delete_file: ['table_id', 'path', 'path_is_relative', 'file_size_bytes'],
} as const;

type NamingTable = keyof typeof NAMING;

/** A row of a catalog's table, with its values as texts. */
export type CatalogRow = Readonly<Record<string, string | null>>;

export type Naming = Readonly<Record<NamingTable, readonly CatalogRow[]>>;

/** Returns all files that a catalog names, also those that only older snapshots show. Rows in the catalog itself have no file. */
export function filesOf(catalog: Naming): Files {
  const schemas = pathsOf(catalog.ducklake_schema, 'schema_id', () => '');
  const tables = pathsOf(catalog.ducklake_table, 'table_id', (row) => schemas.get(row['schema_id'] ?? ''));
  const rows = [...catalog.ducklake_data_file, ...catalog.ducklake_delete_file];
  return new Map(
    rows.map((row) => [
      pathOf(row, tables.get(row['table_id'] ?? '')),
      Number(row['file_size_bytes'] ?? Number.NaN),
    ]),
  );
}

const pathsOf = (
  rows: readonly CatalogRow[],
  id: string,
  parent: (row: CatalogRow) => string | undefined,
): Map<string, string> => new Map(rows.map((row) => [row[id] ?? '', pathOf(row, parent(row))]));

/** Paths are relative to the parent's. DuckLake writes others only for files that were added from elsewhere. */
function pathOf(row: CatalogRow, parent: string | undefined): string {
  const path = row['path'] ?? '';
  if (parent === undefined || !/^t(rue)?$/.test(row['path_is_relative'] ?? ''))
    throw new Error(`the catalog names ${path}, which is not below its data path`);
  return parent + path;
}

/** Returns each file that is missing or has another size, in words. */
export const damagesOf = (named: Files, stored: Files): string[] =>
  [...named].flatMap(([path, bytes]) => {
    const found = stored.get(path);
    if (found === bytes) return [];
    return [
      found === undefined ? `${path} is missing` : `${path} has ${found} bytes, the catalog says ${bytes}`,
    ];
  });

/** How many files a message names. */
const MOST_NAMED = 10;

/** Returns damages as one text: the first of them, and how many more there are. */
export const firstDamages = (damages: readonly string[]): string =>
  firstAndMore(damages, MOST_NAMED).join('; ');

export async function filesBelow(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, number>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(relative(folder, file).replaceAll(sep, '/'), (await stat(file)).size);
  }
  return files;
}

/** The files of a DuckLake, as its catalog names them. */
export interface LakeFiles {
  files: number;
  bytes: number;
}

/** Looks whether every file that the catalog of an attached DuckLake names is stored with its size. Throws if not. */
export async function checkLakeFiles(session: Session, dataPath: string): Promise<LakeFiles> {
  const named = await namedFiles(session);
  const damaged = damagesOf(named, await storedFiles(session, dataPath));
  if (damaged.length > 0) {
    // The maintenance may have dropped files between both looks.
    const still = await namedFiles(session);
    const known = new Map([...named].filter(([path]) => still.has(path)));
    const damages = damagesOf(known, await storedFiles(session, dataPath));
    if (damages.length > 0) throw new Error(`files below ${dataPath} are damaged: ${firstDamages(damages)}`);
  }
  return sizeOf(named);
}

/** Returns how many files there are, and their size together. */
export const sizeOf = (files: Files): LakeFiles => ({
  files: files.size,
  bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0),
});

const namedFiles = (session: Session): Promise<Files> =>
  session.onOneState(async () => {
    const read = (table: NamingTable) =>
      session.query<CatalogRow>(
        `SELECT ${NAMING[table].map((column) => `CAST(${column} AS VARCHAR) AS ${column}`).join(', ')} FROM ${CATALOG}.${table}`,
      );
    return filesOf({
      ducklake_schema: await read('ducklake_schema'),
      ducklake_table: await read('ducklake_table'),
      ducklake_data_file: await read('ducklake_data_file'),
      ducklake_delete_file: await read('ducklake_delete_file'),
    });
  });

async function storedFiles(session: Session, dataPath: string): Promise<Files> {
  const folder = localFolder(dataPath);
  if (folder !== null) return filesBelow(folder);
  const root = withSlash(dataPath);
  // Without its content, an object costs no request: the storage lists sizes with names.
  const rows = await session.query<{ filename: string; size: string }>(
    `SELECT filename, size FROM read_blob(${sqlText(`${root}**`)})`,
  );
  return new Map(rows.map(({ filename, size }) => [filename.slice(root.length), Number(size)]));
}

/** Returns a data path in the form in which a catalog stores it. */
export const withSlash = (dataPath: string): string => (dataPath.endsWith('/') ? dataPath : `${dataPath}/`);
