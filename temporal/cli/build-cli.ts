import { join } from 'node:path';
import { TEMPORAL_CLI_VERSION } from './cli-cache.ts';
import { programFile, programsOnPath, run } from './programs.ts';

/** The package that `go install` builds. */
export const CLI_GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;

const REPORT_INTERVAL_MS = 5_000;

/** A build takes about three minutes on two cores. Ten times that is a hang, not a slow machine. */
const BUILD_TIMEOUT_MS = 30 * 60 * 1000;

/**
 * Builds the Temporal CLI from source with `go install`, through the Go module proxy of the environment.
 *
 * @param stagingDir folder for the result (GOBIN); Go's own build cache is the user's
 * @param report receives the state of the build every five seconds
 * @returns the path of the built CLI
 * @throws if there is no Go on the PATH, or the build fails or takes over thirty minutes
 */
export async function buildCli(
  stagingDir: string,
  env: NodeJS.ProcessEnv,
  report: (state: string) => void,
): Promise<string> {
  const [go] = await programsOnPath('go', env);
  if (go === undefined) throw new Error('no Go on the PATH');
  const started = Date.now();
  let [current, downloaded, compiled] = ['starting', 0, 0];
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    report(`${seconds} s, ${downloaded} modules downloaded, ${compiled} packages compiled (${current})`);
  }, REPORT_INTERVAL_MS);
  const { ok, output } = await run(go, ['install', '-v', CLI_GO_PACKAGE], {
    env: { ...env, GOBIN: stagingDir },
    signal: AbortSignal.timeout(BUILD_TIMEOUT_MS),
    onLine: (line) => {
      current = line;
      if (line.startsWith('go: downloading ')) downloaded += 1;
      else compiled += 1;
    },
  }).finally(() => {
    clearInterval(timer);
  });
  if (!ok) throw new Error(output.split('\n').slice(-3).join(' / '));
  return join(stagingDir, programFile('temporal'));
}
