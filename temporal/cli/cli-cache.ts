import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { programFile, run } from './programs.ts';

/**
 * The release of the Temporal CLI that this product is tested with. It is pinned because the schema of `temporal.db`
 * is that of one server version.
 */
export const TEMPORAL_CLI_VERSION = '1.5.1';

const STAGING_PREFIX = 'staging-';

/** A killed process left any older staging folder, because no download or build takes longer. */
const STAGING_MAX_AGE_MS = 2 * 60 * 60 * 1000;

/** A cold program of 250 MB needs seconds to load from a slow disk. A longer time is a hang. */
const ANSWER_TIMEOUT_MS = 20_000;

/** The folder shared by all data directories of this user, in `$XDG_CACHE_HOME` or `~/.cache`. */
export function defaultCliCacheDir(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CACHE_HOME'];
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.cache');
  return join(base, 'cost-analytics');
}

/** The path of the cached CLI. Its name has the version, so that an update never runs an old copy. */
export const cachedCliPath = (cacheDir: string): string =>
  join(cacheDir, programFile(`temporal-${TEMPORAL_CLI_VERSION}`));

/** Returns the version of a Temporal CLI, or undefined if the file does not run on this machine or is another program. */
export async function temporalCliVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { ok, output } = await run(path, ['--version'], {
    env,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  return ok ? /^temporal version (\S+)/m.exec(output)?.[1] : undefined;
}

/**
 * Lets `produce` create the CLI in a private folder, checks that it runs, and moves it into the cache.
 *
 * The move is an atomic rename on one file system. No partial file gets the final name, even if two processes fill the
 * cache at once or one is killed.
 *
 * @param produce receives the private folder and returns the path of the CLI inside it
 * @returns the path in the cache
 * @throws if the cache cannot be written, `produce` throws, or the result does not run here
 */
export async function installIntoCache(
  cacheDir: string,
  env: NodeJS.ProcessEnv,
  produce: (stagingDir: string) => Promise<string>,
): Promise<string> {
  await makeFolder(cacheDir);
  await removeAbandonedStaging(cacheDir);
  const stagingDir = await mkdtemp(join(cacheDir, STAGING_PREFIX));
  try {
    const binary = await produce(stagingDir);
    await chmod(binary, 0o755);
    if ((await temporalCliVersion(binary, env)) === undefined)
      throw new Error('the result does not run on this machine');
    await rename(binary, cachedCliPath(cacheDir));
    return cachedCliPath(cacheDir);
  } finally {
    await rm(stagingDir, { recursive: true, force: true });
  }
}

async function removeAbandonedStaging(cacheDir: string): Promise<void> {
  const names = (await readdir(cacheDir)).filter((name) => name.startsWith(STAGING_PREFIX));
  for (const path of names.map((name) => join(cacheDir, name))) {
    // A concurrent process may have removed its own folder since.
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > STAGING_MAX_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}
