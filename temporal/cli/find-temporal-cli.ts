import { existsSync } from 'node:fs';
import { buildCli, CLI_GO_PACKAGE } from './build-cli.ts';
import {
  cachedCliPath,
  defaultCliCacheDir,
  installIntoCache,
  TEMPORAL_CLI_VERSION,
  temporalCliVersion,
} from './cli-cache.ts';
import { downloadCli } from './download-cli.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { programsOnPath, reasonOf } from './programs.ts';

export interface FindTemporalCliOptions {
  env: NodeJS.ProcessEnv;
  /** Receives one line for each step that gets a CLI, and one more every few seconds of a long step. */
  progress: (line: string) => void;
  /** Receives one line for each place that is looked at. */
  looked?: (line: string) => void;
  /** Where a CLI is kept for the next time. Default: `cost-analytics` in the user's cache folder. */
  cacheDir?: string;
}

/**
 * Finds a Temporal CLI that runs, in this order: on the PATH, in the cache, with the downloader of the Temporal SDK
 * (at most a minute without data), with `go install` (about three minutes, once). The last two fill the cache, in one
 * process at a time.
 *
 * @returns its path
 * @throws Error that reports each failure and lists the ways to provide a Temporal server
 */
export async function findTemporalCli(options: FindTemporalCliOptions): Promise<string> {
  const { env, progress, looked = () => undefined, cacheDir = defaultCliCacheDir(options.env) } = options;
  const installed = await findInstalledCli(env, cacheDir, looked);
  if (installed !== undefined) return installed.path;
  const waiting = (seconds: number): void => {
    progress(`Temporal: another process is getting it … waiting, ${seconds} s`);
  };
  return oneAtATime(cacheDir, waiting, async () => {
    const cached = cachedCliPath(cacheDir);
    const isThereNow = existsSync(cached) && (await temporalCliVersion(cached, env)) !== undefined;
    return isThereNow ? cached : fillCache({ env, progress, cacheDir });
  });
}

async function fillCache({
  env,
  progress,
  cacheDir,
}: Required<Omit<FindTemporalCliOptions, 'looked'>>): Promise<string> {
  const steps = [
    { name: `download of v${TEMPORAL_CLI_VERSION} with the Temporal SDK`, produce: downloadCli },
    { name: `go install ${CLI_GO_PACKAGE} (about three minutes, once)`, produce: buildCli },
  ];
  const failures: string[] = [];
  for (const { name, produce } of steps) {
    const report = (state: string): void => {
      progress(`Temporal: ${name} … ${state}`);
    };
    report('started');
    try {
      const path = await installIntoCache(cacheDir, env, (dir) => produce(dir, env, report));
      report(`done, kept as ${path}`);
      return path;
    } catch (error) {
      const reason = reasonOf(error);
      report(`failed: ${reason}`);
      failures.push(`${name}: ${reason}`);
    }
  }
  throw new Error(explainWays(cacheDir, failures));
}

/**
 * Looks for a Temporal CLI that is on this machine already: on the PATH, else in the cache.
 *
 * @param progress receives one line for each place
 * @returns the path and version of a CLI that runs, or undefined
 */
export async function findInstalledCli(
  env: NodeJS.ProcessEnv,
  cacheDir: string,
  progress: (line: string) => void,
): Promise<{ path: string; version: string } | undefined> {
  const cached = cachedCliPath(cacheDir);
  const places = [
    { name: 'on the PATH', candidates: await programsOnPath('temporal', env) },
    { name: `for a cached copy at ${cached}`, candidates: existsSync(cached) ? [cached] : [] },
  ];
  for (const { name, candidates } of places) {
    for (const path of candidates) {
      const version = await temporalCliVersion(path, env);
      progress(
        `Temporal: looking ${name} … found ${path}${version === undefined ? ', which does not run' : ''}`,
      );
      // A CLI that Go has built reports 0.0.0-DEV. The name of a cached one has its version.
      if (version !== undefined) return { path, version: path === cached ? TEMPORAL_CLI_VERSION : version };
    }
    if (candidates.length === 0) progress(`Temporal: looking ${name} … not found`);
  }
  return undefined;
}

const explainWays = (cacheDir: string, failures: string[]): string =>
  [
    'No Temporal server could be obtained. Provide one in any of these ways:',
    '  1. set TEMPORAL_ADDRESS=host:port to use a Temporal server that runs elsewhere;',
    '  2. install the Temporal CLI so that `temporal` is on the PATH (https://docs.temporal.io/cli);',
    `  3. copy the Temporal CLI to ${cachedCliPath(cacheDir)};`,
    '  4. allow HTTPS to temporal.download (HTTPS_PROXY is respected), for the download by the SDK;',
    `  5. install Go, with access to a Go module proxy, for: go install ${CLI_GO_PACKAGE}`,
    'Not on the PATH, not in the cache, and:',
    ...failures.map((failure) => `  - ${failure}`),
  ].join('\n');
