import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';

/** The files of the dev server in a data directory, as absolute paths without symbolic links. */
export interface DevServerFiles {
  /** SQLite database; with `-wal` (and `-journal`, `-shm`) beside it. */
  database: string;
  /** Exists from before the database is created until the server has answered on it. */
  databaseUnfinished: string;
  /** Exists from when the server has reported damage until the database is set aside. */
  databaseDamaged: string;
  log: string;
  /** Which process serves the database, see {@link writeDevServerRecord}. */
  record: string;
}

const MAX_LOG_BYTES = 10_000_000;

/** What SQLite keeps beside a database, the write-ahead log first. */
const BESIDE = ['-wal', '-shm', '-journal'] as const;

/**
 * Creates the data directory if it does not exist, and names the files in it.
 *
 * @throws if the path has a character with a meaning in the URI by which the server opens the database
 */
export async function devServerFiles(dataDir: string): Promise<DevServerFiles> {
  await makeFolder(resolve(dataDir));
  // This path identifies the running server, so that one folder must always give the same path.
  const dir = await realpath(dataDir);
  if (/[?#%]/.test(dir)) {
    throw new Error(
      `The data directory ${dir} must not contain ?, # or %: Temporal cannot open a database there`,
    );
  }
  return {
    database: join(dir, 'temporal.db'),
    databaseUnfinished: join(dir, 'temporal.db.unfinished'),
    databaseDamaged: join(dir, 'temporal.db.damaged'),
    log: join(dir, 'temporal.log'),
    record: join(dir, 'temporal.json'),
  };
}

/** Marks a database that is about to be created, until {@link markDatabaseFinished}. */
export async function markNewDatabase(files: DevServerFiles): Promise<void> {
  if (!(await exists(files.database))) await writeFile(files.databaseUnfinished, '');
}

/** Call this when a server has answered on the database, before anything is stored there. */
export const markDatabaseFinished = (files: DevServerFiles): Promise<void> =>
  removeMarker(files.databaseUnfinished);

/** Marks a database whose server has reported damage, for the next start to set it aside. */
export const markDatabaseDamaged = (files: DevServerFiles): Promise<void> =>
  writeFile(files.databaseDamaged, '');

/** Whether {@link markDatabaseDamaged} has marked the database. */
export const isMarkedDamaged = (files: DevServerFiles): Promise<boolean> => exists(files.databaseDamaged);

/**
 * Removes a database on which no server ever answered. The server creates the tables of a new file one by one. If it is
 * killed in between, no server can ever open the file. Nothing is lost.
 */
export async function removeUnfinishedDatabase(files: DevServerFiles): Promise<void> {
  if (!(await exists(files.databaseUnfinished))) return;
  for (const suffix of ['', ...BESIDE]) await rm(files.database + suffix, { force: true });
}

/**
 * Renames a database that cannot be read or is damaged, with what belongs to it. The server then makes a new one, and a
 * person can still look at the old one.
 *
 * @returns its new path
 */
export async function setDatabaseAside(files: DevServerFiles, now: Date): Promise<string> {
  const aside = `${files.database}.unreadable-${now.toISOString().replaceAll(':', '-')}`;
  // The database last: if this process dies in between, the next start finds it unreadable again.
  for (const suffix of [...BESIDE, ''])
    if (await exists(files.database + suffix)) await rename(files.database + suffix, aside + suffix);
  await removeMarker(files.databaseDamaged);
  return aside;
}

/** Keeps one old log, so that a server that runs for years does not fill the disk. */
export async function rotateLog(files: DevServerFiles): Promise<void> {
  if ((await logSize(files)) > MAX_LOG_BYTES) await rename(files.log, `${files.log}.1`);
}

/** The bytes in the log; 0 if there is no log. */
const logSize = (files: DevServerFiles): Promise<number> =>
  stat(files.log).then(
    (stats) => stats.size,
    () => 0,
  );

/**
 * The last 15 lines of the part of the log from byte `from` on; empty if it cannot be read. The stacks of a panic, which
 * follow its reason, are left out.
 */
export async function logTail(files: DevServerFiles, from: number): Promise<string> {
  const log = await readFile(files.log).catch(() => Buffer.alloc(0));
  const [beforeStacks = ''] = log
    .subarray(from)
    .toString()
    .split(/^goroutine \d+ \[/m, 1);
  return beforeStacks.trimEnd().split('\n').slice(-15).join('\n');
}

async function removeMarker(path: string): Promise<void> {
  if (!(await exists(path))) return;
  await rm(path);
  // A marker that came back with a loss of power would condemn a database in use.
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
