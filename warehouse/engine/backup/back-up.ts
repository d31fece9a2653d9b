import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../../domain/shared/errors.ts';
import { attachFile } from '../opening/attach.ts';
import { schemaVersionOf } from '../migrations/schema-version.ts';
import { openInstance } from '../open-instance.ts';
import { sealedByKeys } from '../records/sealed-texts.ts';
import { Session } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';
import { tableNames } from '../sql/table-names.ts';
import type { Warehouse } from '../warehouse.ts';
import { sha256Of, writeManifest, type BackupManifest } from './manifest.ts';

/** The copy of a DuckDB file in a backup. */
export const BACKUP_FILE = 'warehouse.duckdb';

/** Rows of a table, and a number that any change of them changes. */
interface Contents {
  rows: string;
  hash: string | null;
}

/**
 * Copies a DuckDB file as of one instant into an empty folder, while others read and write it. Then reads the copy, and compares
 * every table with the original at that instant. Sealed texts stay sealed. If anything fails, the folder has no manifest, and
 * nothing else of the backup (contract §4).
 */
export const backUp = async (
  warehouse: Warehouse,
  folder: string,
  { version, now }: { version: string; now: Date },
): Promise<BackupManifest> => {
  await mkdir(folder, { recursive: true });
  const found = await readdir(folder);
  if (found.length > 0) throw invalid(`to: expected an empty folder, got one with ${found[0] ?? ''}`);
  const file = join(folder, BACKUP_FILE);
  try {
    const original = await warehouse.session((session) => copyTo(session, file));
    const copy = await contentsOfFile(warehouse, file);
    for (const [table, { rows, hash }] of original.contents) {
      const copied = copy.get(table);
      if (copied?.rows !== rows || copied.hash !== hash)
        throw new Error(`the copy of ${table} differs from the original, which has ${rows} rows`);
    }
    const manifest: BackupManifest = {
      format: 1,
      version,
      schema_version: original.schemaVersion,
      taken_at: now.toISOString(),
      bytes: (await stat(file)).size,
      sha256: await sha256Of(file),
      rows: Object.fromEntries([...original.contents].map(([table, { rows }]) => [table, Number(rows)])),
      master_keys: original.masterKeys,
    };
    await writeManifest(folder, manifest);
    return manifest;
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
    throw error;
  }
};

/** Copies everything in one transaction, and describes the original as of that transaction. */
const copyTo = async (session: Session, file: string) => {
  await session.run(`ATTACH ${sqlText(file)} AS backup`);
  try {
    return await session.onOneState(async () => {
      await session.run('COPY FROM DATABASE warehouse TO backup');
      return {
        schemaVersion: await schemaVersionOf(session),
        masterKeys: (await sealedByKeys(session)).map(({ key_id }) => key_id),
        contents: await contentsOf(session),
      };
    });
  } finally {
    await session.run('DETACH backup');
  }
};

const contentsOfFile = async (warehouse: Warehouse, file: string): Promise<Map<string, Contents>> => {
  const instance = await openInstance(warehouse.settings);
  try {
    const session = new Session(await instance.connect());
    try {
      await attachFile(session, file, 'READ_ONLY');
      return await contentsOf(session);
    } finally {
      session.close();
    }
  } finally {
    instance.closeSync();
  }
};

/** Returns the contents of each table. The order of rows does not count. */
const contentsOf = async (session: Session): Promise<Map<string, Contents>> => {
  const contents = new Map<string, Contents>();
  for (const name of await tableNames(session)) {
    const [found] = await session.query<Contents>(
      `SELECT count(*) AS rows, CAST(sum(CAST(hash(stored) AS HUGEINT)) AS VARCHAR) AS hash FROM warehouse.${name} AS stored`,
    );
    if (found !== undefined) contents.set(name, found);
  }
  return contents;
};
