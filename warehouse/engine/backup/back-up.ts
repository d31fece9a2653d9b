import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { invalid } from '../../../domain/shared/errors.ts';
import { openInstance } from '../open-instance.ts';
import { masterKeysOf } from '../records/reseal.ts';
import { Session } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';
import { attachFile, type Warehouse } from '../warehouse.ts';

/** What a backup says about itself, in `backup.json`. It is written last, so that a folder without it is no backup. */
export interface BackupManifest {
  format: 1;
  /** The version of the product, and of the warehouse's tables. */
  version: string;
  schema_version: number;
  taken_at: string;
  bytes: number;
  sha256: string;
  /** Rows of each table. */
  rows: Record<string, number>;
  /** The ids of the master keys that have sealed texts in it. The keys themselves are not in a backup. */
  master_keys: string[];
}

/** The files of a backup. */
export const BACKUP_FILE = 'warehouse.duckdb';
export const BACKUP_MANIFEST = 'backup.json';

/** Rows of a table, and a number that any change of them changes. */
interface Contents {
  rows: string;
  hash: string | null;
}

/**
 * Copies a DuckDB file as of one instant into an empty folder, while others read and write it. Then reads the copy, and compares
 * every table with the original at that instant. Sealed texts stay sealed. If anything fails, the folder has no manifest, and
 * nothing else of the backup.
 */
export const backUp = async (
  warehouse: Warehouse,
  folder: string,
  { version, now }: { version: string; now: Date },
): Promise<BackupManifest> => {
  if (warehouse.isDuckLake)
    throw invalid('to: a DuckLake is backed up in Postgres and in its storage; see docs/operation.md');
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
    await store(join(folder, BACKUP_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
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
    return await session.transaction(async () => {
      await session.run('COPY FROM DATABASE warehouse TO backup');
      const [newest] = await session.query<{ version: number }>(
        'SELECT max(version) AS version FROM schema_migrations',
      );
      return {
        schemaVersion: newest?.version ?? 0,
        masterKeys: await masterKeysOf(session),
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
  const tables = await session.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'warehouse' ORDER BY name`,
  );
  const contents = new Map<string, Contents>();
  for (const { name } of tables) {
    const [found] = await session.query<Contents>(
      `SELECT count(*) AS rows, CAST(sum(CAST(hash(stored) AS HUGEINT)) AS VARCHAR) AS hash FROM warehouse.${name} AS stored`,
    );
    if (found !== undefined) contents.set(name, found);
  }
  return contents;
};

/** Returns the SHA-256 of a file, in hexadecimal digits. */
export const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/** Writes a file so that it is there as a whole or not at all, also after a loss of power. */
const store = async (file: string, text: string): Promise<void> => {
  const temporary = join(dirname(file), `.${basename(file)}`);
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(text);
  await handle.sync();
  await handle.close();
  await rename(temporary, file);
};
