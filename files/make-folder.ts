import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { usePath } from './unusable-path.ts';

/**
 * Makes a folder and the missing ones above it. Returns whether the folder is new. Throws `UnusablePath` if it cannot be made.
 *
 * Use it instead of Node's `mkdir` with `recursive`, which never ends on a file system that reports a missing parent for each new
 * folder, such as /proc. Its thread then spins, and the process cannot even exit.
 */
export const makeFolder = (path: string): Promise<boolean> =>
  usePath(path, 'a folder that can be made', () => make(resolve(path)));

async function make(folder: string): Promise<boolean> {
  const error = await tryToMake(folder);
  if (error === null) return true;
  if (await isFolder(folder)) return false;
  const parent = dirname(folder);
  if (error.code !== 'ENOENT' || parent === folder) throw error;
  await make(parent);
  // Only once, because a second failure is not about the parent.
  const again = await tryToMake(folder);
  if (again !== null && !(await isFolder(folder))) throw again;
  return again === null;
}

const tryToMake = (folder: string): Promise<NodeJS.ErrnoException | null> =>
  mkdir(folder).then(
    () => null,
    (error: unknown) => error as NodeJS.ErrnoException,
  );

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
