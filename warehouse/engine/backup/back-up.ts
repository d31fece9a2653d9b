import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../../domain/shared/errors.ts';
import { makeWritableFolder } from '../../../files/make-writable-folder.ts';
import { UnusablePath } from '../../../files/unusable-path.ts';
import { attachFile } from '../opening/attach.ts';
import { originOf, schemaVersionOf } from '../migrations/schema-version.ts';
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

/** What a backup is told: who makes it, when, as which kept copy, and when to stop. */
export interface BackupOptions {
  version: string;
  now: Date;
  /** The name of a copy that `--keep` counts. */
  keptAs?: string;
  signal: AbortSignal;
}

/**
 * Copies a DuckDB file as of one instant into an empty folder, while others read and write it. Then reads the copy, and compares
 * every table with the original at that instant. Sealed texts stay sealed. If anything fails, or `signal` stops it, the folder
 * has no manifest, and nothing else of the backup (docs/operation.md#backup).
 */
export async function backUp(
  warehouse: Warehouse,
  folder: string,
  { version, now, keptAs, signal }: BackupOptions,
): Promise<BackupManifest> {
  const file = join(folder, BACKUP_FILE);
  try {
    const original = await warehouse.session((session) => copyTo(session, file), signal);
    const copy = await contentsOfFile(warehouse, file, signal);
    for (const [table, { rows, hash }] of original.contents) {
      const copied = copy.get(table);
      if (copied?.rows !== rows || copied.hash !== hash)
        throw new Error(`the copy of ${table} differs from the original, which has ${rows} rows`);
    }
    const manifest: BackupManifest = {
      format: 1,
      version,
      schema_version: original.schemaVersion,
      origin: original.origin,
      ...(keptAs === undefined ? {} : { kept_as: keptAs }),
      taken_at: now.toISOString(),
      bytes: (await stat(file)).size,
      sha256: await sha256Of(file, signal),
      rows: Object.fromEntries([...original.contents].map(([table, { rows }]) => [table, Number(rows)])),
      master_keys: original.masterKeys,
    };
    await writeManifest(folder, manifest);
    return manifest;
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
    throw error;
  }
}

/** Makes the folder of a backup, unless it is there, and looks whether it is empty and can be written to. */
export async function takeEmptyFolder(folder: string): Promise<void> {
  await takeFolder(folder);
  const [found] = await readdir(folder);
  if (found !== undefined) throw invalid(`to: expected an empty folder, got one with ${found}`);
}

/** Makes a folder for backups, unless it is there, and looks whether it can be written to. */
export async function takeFolder(folder: string): Promise<void> {
  await makeWritableFolder(folder).catch((error: unknown) => {
    throw error instanceof UnusablePath ? invalid(`to: ${error.message}`) : error;
  });
}

/** Copies everything in one transaction, and describes the original as of that transaction. */
async function copyTo(session: Session, file: string) {
  await session.run(`ATTACH ${sqlText(file)} AS backup`);
  try {
    return await session.onOneState(async () => {
      await session.run('COPY FROM DATABASE warehouse TO backup');
      return {
        schemaVersion: await schemaVersionOf(session),
        origin: await originOf(session),
        masterKeys: (await sealedByKeys(session)).map(({ key_id }) => key_id),
        contents: await contentsOf(session),
      };
    });
  } finally {
    await session.run('DETACH backup');
  }
}

async function contentsOfFile(
  warehouse: Warehouse,
  file: string,
  signal: AbortSignal,
): Promise<Map<string, Contents>> {
  const instance = await openInstance(warehouse.settings);
  try {
    const session = new Session(await instance.connect());
    const interrupt = (): void => {
      session.interrupt();
    };
    signal.addEventListener('abort', interrupt);
    try {
      signal.throwIfAborted();
      await attachFile(session, file, 'READ_ONLY');
      return await contentsOf(session);
    } finally {
      signal.removeEventListener('abort', interrupt);
      session.close();
    }
  } finally {
    instance.closeSync();
  }
}

/** Returns the contents of each table. The order of rows does not count. */
async function contentsOf(session: Session): Promise<Map<string, Contents>> {
  const contents = new Map<string, Contents>();
  for (const name of await tableNames(session)) {
    const [found] = await session.query<Contents>(
      `SELECT count(*) AS rows, CAST(sum(CAST(hash(stored) AS HUGEINT)) AS VARCHAR) AS hash FROM warehouse.${name} AS stored`,
    );
    if (found !== undefined) contents.set(name, found);
  }
  return contents;
}
