import { chmod, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** New files and folders of the process, and of the Temporal server that it starts, are their owner's only. */
export const PRIVATE_UMASK = 0o077;

/** What the service itself keeps in its data directory. Whatever else lies there is somebody's own. */
const OWN =
  /^(warehouse\.duckdb|temporal\.(db|log|json)|(operator|master|demo)\.key|demo-restated-month)([.-].*)?$/;

/**
 * Makes the data directory, if there is none, and takes the rights of group and others from it and from what the
 * service keeps in it: an earlier version, or somebody's umask, may have left them. What people put below `exports` stays as
 * it is. A folder that belongs to another user cannot be changed: the log says so, and the service goes on.
 */
export const keepPrivate = async (dataDir: string, log: Pick<Logger, 'warn'>): Promise<void> => {
  const [exports, spill] = [join(dataDir, 'exports'), join(dataDir, 'spill')];
  for (const folder of [exports, spill]) await mkdir(folder, { recursive: true });
  const own = (await readdir(dataDir)).filter((name) => OWN.test(name)).map((name) => join(dataDir, name));
  const scratch = await readdir(spill);
  const shared: string[] = [];
  // The data directory itself may be a link, and what it leads to is the service's own.
  for (const path of [
    await realpath(dataDir),
    exports,
    spill,
    ...own,
    ...scratch.map((name) => join(spill, name)),
  ])
    if (!(await isPrivate(path))) shared.push(path);
  if (shared.length > 0) log.warn({ shared }, 'others can read these, and their rights cannot be changed');
};

/** Takes the rights of others from a path; false if that is not allowed. A link leads to what is somebody's own. */
const isPrivate = async (path: string): Promise<boolean> => {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink() || (stats.mode & PRIVATE_UMASK) === 0) return true;
    await chmod(path, stats.mode & 0o777 & ~PRIVATE_UMASK);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return true;
    if (code === 'EPERM' || code === 'EROFS') return false;
    throw error;
  }
};
