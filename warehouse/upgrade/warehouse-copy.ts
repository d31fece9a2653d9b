import { constants } from 'node:fs';
import { access, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeFolder } from '../../files/make-folder.ts';
import { Session } from '../engine/session.ts';
import { attachFile } from '../engine/opening/attach.ts';
import type { WarehouseSettings } from '../engine/warehouse.ts';

/**
 * Runs `work` on a copy of a warehouse's file and its write-ahead log, and deletes the copy afterwards. It only reads the
 * original. Returns null if there is no such file. Throws if another process uses it.
 */
export async function withCopy<Result>(
  settings: WarehouseSettings,
  work: (copy: WarehouseSettings) => Promise<Result>,
): Promise<Result | null> {
  const isThere = await access(settings.location).then(() => true, unlessMissing);
  if (isThere !== true) return null;
  await makeFolder(settings.spillDirectory);
  const directory = await mkdtemp(join(settings.spillDirectory, 'upgrade-'));
  try {
    const copy = { ...settings, location: join(directory, 'warehouse.duckdb') };
    await copyUnused(settings.location, copy.location);
    return await work(copy);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Copies both files under a reader's lock, so that no process can start to write. */
async function copyUnused(from: string, to: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const session = new Session(await instance.connect());
    await attachFile(session, from, 'READ_ONLY');
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    // After a clean end there is no write-ahead log.
    await copyFile(`${from}.wal`, `${to}.wal`).catch(unlessMissing);
    session.close();
  } finally {
    instance.closeSync();
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
