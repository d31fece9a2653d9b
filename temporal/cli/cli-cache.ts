import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { TEMPORAL_CLI_VERSION } from './cli-version.ts';
import { runsAsTemporalCli } from './runs-as-temporal-cli.ts';

const STAGING_PREFIX = 'staging-';

/** No download or build takes longer, so an older staging folder was left by a killed process. */
const STAGING_MAX_AGE_MS = 2 * 60 * 60 * 1000;

/** The folder shared by all data directories of this user: `$XDG_CACHE_HOME` or `~/.cache`. */
export function defaultCliCacheDir(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CACHE_HOME'];
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.cache');
  return join(base, 'cost-analytics');
}

/** Where the cached CLI is, or will be. The version is in the name: an update never runs an old copy. */
export function cachedCliPath(cacheDir: string): string {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return join(cacheDir, `temporal-${TEMPORAL_CLI_VERSION}${suffix}`);
}

/**
 * Lets `produce` create the CLI in a private folder, checks that it runs, and moves it into the cache.
 *
 * The move is an atomic rename on one file system: two processes that fill the cache at once, or one
 * that is killed halfway, never leave a partial file under the final name.
 *
 * @param produce receives the private folder, returns the path of the CLI inside it, throws if it failed
 * @returns the path in the cache
 * @throws if the cache cannot be written, `produce` throws, or the result does not run here
 */
export async function installIntoCache(
  cacheDir: string,
  env: NodeJS.ProcessEnv,
  produce: (stagingDir: string) => Promise<string>,
): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandonedStaging(cacheDir);
  const stagingDir = await mkdtemp(join(cacheDir, STAGING_PREFIX));
  try {
    const binary = await produce(stagingDir);
    await chmod(binary, 0o755);
    if (!(await runsAsTemporalCli(binary, env))) throw new Error('the result does not run on this machine');
    await rename(binary, cachedCliPath(cacheDir));
    return cachedCliPath(cacheDir);
  } finally {
    await rm(stagingDir, { recursive: true, force: true });
  }
}

async function removeAbandonedStaging(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(STAGING_PREFIX)) continue;
    const path = join(cacheDir, name);
    // A concurrent process may remove its own folder between the listing and the look.
    const modified = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - modified > STAGING_MAX_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}
