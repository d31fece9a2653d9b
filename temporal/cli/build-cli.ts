import { join } from 'node:path';
import { TEMPORAL_CLI_VERSION } from './cli-version.ts';
import { executablesOnPath } from './executables-on-path.ts';
import { runCommand } from './run-command.ts';

/** What is built, for `go install`. */
export const CLI_GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;

const REPORT_INTERVAL_MS = 10_000;

/** About three minutes on two cores; ten times that is a hang, not a slow machine. */
const BUILD_TIMEOUT_MS = 30 * 60 * 1000;

/**
 * Builds the Temporal CLI with `go install`, from source, through the Go module proxy of the environment.
 *
 * @param stagingDir folder for the result (GOBIN); Go's own build cache is the user's
 * @param report receives the state of the build, at most every ten seconds
 * @returns the path of the built CLI
 * @throws if there is no Go on the PATH, or the build fails or takes over thirty minutes
 */
export async function buildCli(
  stagingDir: string,
  env: NodeJS.ProcessEnv,
  report: (state: string) => void,
): Promise<string> {
  const [go] = await executablesOnPath('go', env);
  if (go === undefined) throw new Error('no Go on the PATH');
  const started = Date.now();
  let current = 'starting';
  const timer = setInterval(() => {
    report(`${Math.round((Date.now() - started) / 1000)} s (${current})`);
  }, REPORT_INTERVAL_MS);
  try {
    const { ok, output } = await runCommand({
      command: go,
      args: ['install', '-v', CLI_GO_PACKAGE],
      env: { ...env, GOBIN: stagingDir },
      signal: AbortSignal.timeout(BUILD_TIMEOUT_MS),
      onLine: (line) => {
        current = line;
      },
    });
    if (!ok) throw new Error(output.split('\n').slice(-3).join(' / '));
  } finally {
    clearInterval(timer);
  }
  return join(stagingDir, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
}
