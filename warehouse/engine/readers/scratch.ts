import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** A folder of this process alone, for uploads and for what DuckDB spills. */
export interface Scratch {
  folder: string;
  /** Removes what other processes have left, of which none runs any more. */
  removeLeftovers: () => Promise<void>;
  /** Removes the folder. Nothing may use it any more. */
  release: () => Promise<void>;
}

const FOLDER = /^process-[\da-f-]{36}$/;
const LOCK_SUFFIX = '.in-use';

/** What earlier versions, whose processes had no folders of their own, left in the directory. */
const OLD_LEFTOVER = /^(upload-|duckdb_temp_|upgrade-)/;
/** None of it is in use for longer. */
const OLD_USE_MS = 3_600_000;

/**
 * Makes a folder in `directory` that belongs to this process. DuckDB's lock on a file beside it tells others that the process
 * lives: the system gives it up when the process dies, however it dies.
 */
export const takeScratch = async (directory: string): Promise<Scratch> => {
  await mkdir(directory, { recursive: true });
  const name = `process-${randomUUID()}`;
  const folder = join(directory, name);
  const lock = await lockFile(folder + LOCK_SUFFIX);
  if (lock === null) throw new Error(`${folder}${LOCK_SUFFIX}: another process holds it`);
  await mkdir(folder);
  return {
    folder,
    removeLeftovers: () => removeLeftovers(directory, name),
    release: () => removeLocked(folder, lock),
  };
};

const removeLeftovers = async (directory: string, own: string): Promise<void> => {
  const entries = await readdir(directory);
  const names = new Set(entries.map((entry) => entry.replace(LOCK_SUFFIX, '')));
  for (const name of names) {
    const path = join(directory, name);
    if (FOLDER.test(name) && name !== own) {
      const lock = await lockFile(path + LOCK_SUFFIX);
      if (lock !== null) await removeLocked(path, lock);
    } else if (OLD_LEFTOVER.test(name)) {
      const found = await stat(path).catch(() => null);
      if (found !== null && Date.now() - found.mtimeMs > OLD_USE_MS)
        await rm(path, { recursive: true, force: true });
    }
  }
};

/** The lock goes last: until then the folder counts as in use. */
const removeLocked = async (folder: string, lock: DuckDBInstance): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  lock.closeSync();
  await rm(folder + LOCK_SUFFIX, { force: true });
};

/** Locks a file until the instance is closed or the process ends; null if another process has locked it. */
const lockFile = async (path: string): Promise<DuckDBInstance | null> => {
  try {
    return await DuckDBInstance.create(path, { threads: '1' });
  } catch (error) {
    if (error instanceof Error && /could not set lock/i.test(error.message)) return null;
    // Its process died before the file was whole, and so before the folder was made.
    await rm(path, { force: true });
    return DuckDBInstance.create(path, { threads: '1' });
  }
};
