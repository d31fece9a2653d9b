import { existsSync } from 'node:fs';
import { cachedCliPath } from './cli-cache.ts';
import { executablesOnPath } from './executables-on-path.ts';
import { runsAsTemporalCli } from './runs-as-temporal-cli.ts';

/**
 * Looks for a Temporal CLI that is on this machine already: on the PATH, else in the cache.
 *
 * @param progress receives one line for each place
 * @returns the path of a CLI that runs, or undefined
 */
export async function findInstalledCli(
  env: NodeJS.ProcessEnv,
  cacheDir: string,
  progress: (line: string) => void,
): Promise<string | undefined> {
  const cached = cachedCliPath(cacheDir);
  const places = [
    { name: 'on the PATH', candidates: await executablesOnPath('temporal', env) },
    { name: `for a cached copy at ${cached}`, candidates: existsSync(cached) ? [cached] : [] },
  ];
  for (const { name, candidates } of places) {
    for (const path of candidates) {
      const runs = await runsAsTemporalCli(path, env);
      progress(`Temporal: looking ${name} … found ${path}${runs ? '' : ', which does not run'}`);
      if (runs) return path;
    }
    if (candidates.length === 0) progress(`Temporal: looking ${name} … not found`);
  }
  return undefined;
}
