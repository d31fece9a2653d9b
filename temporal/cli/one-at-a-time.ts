import { open, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../files/make-folder.ts';
import { TEMPORAL_CLI_VERSION } from './cli-cache.ts';

const LOOK_EVERY_MS = 500;
const REPORT_EVERY_LOOKS = 10;
const TOUCH_EVERY_MS = 5_000;

/** The process that holds the lock touches it. One that is older was left by a killed process. */
const ABANDONED_MS = 30_000;

/**
 * Lets one process at a time fill the cache, because a build takes minutes and all processors. The others wait, and find its
 * result. Two processes that find an abandoned lock at once may both work, which does no harm.
 *
 * @param waiting is called every five seconds of the wait, with its length in seconds
 */
export async function oneAtATime<Result>(
  cacheDir: string,
  waiting: (seconds: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = join(cacheDir, `installing-${TEMPORAL_CLI_VERSION}`);
  try {
    await makeFolder(cacheDir);
    await take(lock, waiting);
  } catch {
    // The cache cannot be written. The work fails with the reason.
    return work();
  }
  const timer = setInterval(() => {
    utimes(lock, new Date(), new Date()).catch((removed: unknown) => removed);
  }, TOUCH_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await rm(lock, { force: true });
  }
}

async function take(lock: string, waiting: (seconds: number) => void): Promise<void> {
  for (let looks = 0; !(await create(lock)); looks += 1) {
    if (looks % REPORT_EVERY_LOOKS === 0) waiting((looks * LOOK_EVERY_MS) / 1000);
    if (await isAbandoned(lock)) await rm(lock, { force: true });
    else await sleep(LOOK_EVERY_MS);
  }
}

const create = (lock: string): Promise<boolean> =>
  open(lock, 'wx').then(
    async (file) => {
      await file.close();
      return true;
    },
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    },
  );

const isAbandoned = (lock: string): Promise<boolean> =>
  stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > ABANDONED_MS,
    // Its holder has removed it just now.
    () => false,
  );
