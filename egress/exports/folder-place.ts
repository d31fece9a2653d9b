import { randomUUID } from 'node:crypto';
import { chmod, copyFile, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import type { ExportPlace } from './export-place.ts';

/** The name of a file that is not complete. The pattern `*.parquet` does not match it. */
const PART = '.part';

/**
 * Returns a folder as a place for exports. New files and folders have the rights of `base`, the operator's folder above it, so
 * that the operator decides who reads them.
 */
export const folderPlace = (folder: string, base: string): ExportPlace => ({
  put: async (path, file, signal) => {
    const target = join(folder, path);
    const rights = await makeFolders(base, dirname(target));
    await removeParts(target);
    const part = `${target}.${randomUUID()}${PART}`;
    try {
      await copyFile(file, part);
      await chmod(part, rights & 0o666);
      await sync(part);
      signal.throwIfAborted();
      await rename(part, target);
    } finally {
      await rm(part, { force: true });
    }
  },
  remove: async (path) => {
    const target = join(folder, path);
    await removeParts(target);
    await rm(target, { force: true });
    await removeEmpty(base, dirname(target));
  },
});

/** Makes the missing folders from `base` down to `folder`. Returns the rights of `base`. */
async function makeFolders(base: string, folder: string): Promise<number> {
  await makeFolder(base);
  const rights = (await stat(base)).mode & 0o777;
  let path = base;
  for (const segment of relative(base, folder).split(sep)) {
    path = join(path, segment);
    // The umask limits the mode of a new folder.
    if (await makeFolder(path)) await chmod(path, rights);
  }
  return rights;
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes what killed processes have left beside a file. */
async function removeParts(target: string): Promise<void> {
  const names = await readdir(dirname(target)).catch(ifMissing<string[]>([]));
  for (const name of names)
    if (name.startsWith(`${basename(target)}.`) && name.endsWith(PART))
      await rm(join(dirname(target), name), { force: true });
}

/** Removes the empty folders from `folder` up to `base`, which stays. */
async function removeEmpty(base: string, folder: string): Promise<void> {
  for (let path = folder; path !== base; path = dirname(path)) {
    const names = await readdir(path).catch(ifMissing<string[] | null>(null));
    if (names !== null && names.length > 0) return;
    if (names !== null) await rmdir(path);
  }
}

const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
