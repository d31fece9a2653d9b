import { chmod, lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { makeFolder } from '../../files/make-folder.ts';

/** Only the owner can access new files and folders of the process and of the Temporal server that it starts. */
export const PRIVATE_UMASK = 0o077;

/** The service's own files in its data directory. All others belong to somebody else. */
const OWN =
  /^(warehouse\.duckdb|temporal\.(db|log|json)|(operator|master|demo)\.key|demo-restated-month)([.-].*)?$/;

/**
 * Creates the data directory if it is missing. Removes the rights of group and others from it and from the service's files,
 * because a copy or a umask may have left them. Files below `exports` stay as they are. If a path belongs
 * to another user, logs a warning and continues.
 */
export async function keepPrivate(dataDir: string, log: Pick<Logger, 'warn'>): Promise<void> {
  const [exports, spill] = [join(dataDir, 'exports'), join(dataDir, 'spill')];
  for (const folder of [exports, spill]) await makeFolder(folder);
  const own = (await readdir(dataDir)).filter((name) => OWN.test(name)).map((name) => join(dataDir, name));
  const scratch = await readdir(spill);
  const shared: string[] = [];
  // The data directory itself may be a link. Then its target belongs to the service.
  for (const path of [
    await realpath(dataDir),
    exports,
    spill,
    ...own,
    ...scratch.map((name) => join(spill, name)),
  ])
    if (!(await isPrivate(path))) shared.push(path);
  if (shared.length > 0)
    log.warn({ shared }, 'other users can read these paths, and the service cannot change their rights');
}

/** Removes the rights of others from a path, but not from a link's target. Returns false if that is not allowed. */
async function isPrivate(path: string): Promise<boolean> {
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
}
