import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeFolder } from '../../../files/make-folder.ts';

/** A folder that only this process uses, for uploads and DuckDB's spilled data. */
export interface Scratch {
  folder: string;
  /** Removes the folders of processes that no longer run. */
  removeLeftovers: () => Promise<void>;
  /** Removes the folder. Nothing may use it afterwards. */
  release: () => Promise<void>;
}

const FOLDER = /^process-[\da-f-]{36}$/;
const LOCK_SUFFIX = '.in-use';

/**
 * Creates a folder in `directory` that only this process uses. DuckDB's lock on a file beside it shows others that the process
 * lives. The system releases the lock when the process dies for any reason.
 */
export async function takeScratch(directory: string): Promise<Scratch> {
  await makeFolder(directory);
  const name = `process-${randomUUID()}`;
  const folder = join(directory, name);
  const lock = await lockFile(folder + LOCK_SUFFIX);
  if (lock === null) throw new Error(`${folder}${LOCK_SUFFIX}: another process holds it`);
  await mkdir(folder);
  return {
    folder,
    removeLeftovers: () => removeAbandoned(directory, name),
    release: () => removeLocked(folder, lock),
  };
}

/** Removes the folders in `directory` of processes that no longer run, except `own`. A folder always has its lock beside it. */
export async function removeAbandoned(directory: string, own: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    const name = entry.replace(LOCK_SUFFIX, '');
    if (name === entry || name === own || !FOLDER.test(name)) continue;
    const path = join(directory, name);
    const lock = await lockFile(path + LOCK_SUFFIX);
    if (lock !== null) await removeLocked(path, lock);
  }
}

/** Removes the lock after the folder, because the folder counts as in use until then. */
async function removeLocked(folder: string, lock: DuckDBInstance): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  lock.closeSync();
  await rm(folder + LOCK_SUFFIX, { force: true });
}

/** Locks a file until the instance is closed or the process ends. Returns null if another process holds the lock. */
async function lockFile(path: string): Promise<DuckDBInstance | null> {
  try {
    return await DuckDBInstance.create(path, { threads: '1' });
  } catch (error) {
    if (error instanceof Error && /could not set lock/i.test(error.message)) return null;
    // Its process died before the file was complete, and so before it created the folder.
    await rm(path, { force: true });
    return DuckDBInstance.create(path, { threads: '1' });
  }
}
