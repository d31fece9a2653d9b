import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isThere } from '../is-there.ts';
import { removeAbandoned, takeScratch } from '../readers/scratch.ts';
import { BACKUP_FILE } from './back-up.ts';
import { dumpIn, filesIn } from './lake-copy.ts';
import { MANIFEST, readManifest, type BackupManifest } from './manifest.ts';

/** The most copies that `--keep` takes. */
export const MOST_KEPT = 1_000;

/** The name of a kept copy: its instant, to the second, in UTC. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** All that a copy has. */
const PARTS: ReadonlySet<string> = new Set([MANIFEST, BACKUP_FILE, dumpIn(''), filesIn('')]);

/** Returns the name of a new copy in a folder: the second of `now`, or the next one that no other copy has. */
export async function newCopyName(folder: string, now: Date): Promise<string> {
  for (let ms = now.getTime(); ; ms += 1000) {
    const name = `${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
    if (!(await isThere(join(folder, name)))) return name;
  }
}

/**
 * Lets `work` make a copy in a scratch folder of `folder`, and gives the copy its name once it is complete. So a killed process
 * leaves no copy, only the scratch folder, and the next call removes that.
 */
export async function withNamedCopy<Result>(
  folder: string,
  name: string,
  work: (copy: string) => Promise<Result>,
): Promise<Result> {
  const scratch = await takeScratch(folder);
  try {
    await removeAbandoned(folder, basename(scratch.folder));
    const copy = join(scratch.folder, name);
    await mkdir(copy);
    const result = await work(copy);
    await rename(copy, join(folder, name));
    return result;
  } finally {
    await scratch.release();
  }
}

/**
 * Removes the oldest copies of a warehouse in a folder, so that `keep` are left. Counts only complete copies that `--keep` has
 * made of this warehouse. All others stay, and so does a copy to which somebody has added a file. Returns the removed names.
 *
 * @param manifest is that of the newest copy.
 */
export async function removeOldCopies(
  folder: string,
  keep: number,
  { origin }: BackupManifest,
): Promise<string[]> {
  const copies: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory() && NAME.test(entry.name) && (await isOwn(folder, entry.name, origin)))
      copies.push(entry.name);
  const removed: string[] = [];
  for (const name of copies.sort().reverse().slice(keep)) {
    if ((await readdir(join(folder, name))).some((part) => !PARTS.has(part))) continue;
    // A copy that is removed has no name any more. If the process is killed meanwhile, the next backup removes the rest.
    const scratch = await takeScratch(folder);
    try {
      await rename(join(folder, name), join(scratch.folder, name));
      removed.push(name);
    } finally {
      await scratch.release();
    }
  }
  return removed;
}

/** Whether a folder is a complete copy that `--keep` has made of a warehouse under this name. */
async function isOwn(folder: string, name: string, origin: string): Promise<boolean> {
  const manifest = await readManifest(join(folder, name)).catch(() => null);
  if (manifest?.kept_as !== name || manifest.origin !== origin) return false;
  return isThere(manifest.lake === undefined ? join(folder, name, BACKUP_FILE) : dumpIn(join(folder, name)));
}
