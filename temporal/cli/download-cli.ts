import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TEMPORAL_CLI_VERSION } from './cli-version.ts';
import { runCommand } from './run-command.ts';

/** How long the download may make no headway (no answer, or no new byte) before it counts as failed. */
const STALL_TIMEOUT_MS = 60_000;
const WATCH_INTERVAL_MS = 1_000;
const REPORT_INTERVAL_MS = 10_000;

/**
 * Program of the child process: `Runtime.createEphemeralServer` of the SDK downloads the CLI to a folder
 * and starts it as a server, which is shut down at once.
 *
 * This is the SDK's own downloader: it knows the platforms, the archive formats and the proxies of the
 * environment. It cannot be called without the start. In a process of its own, because it would
 * otherwise claim the SDK's one Runtime before our worker configures it, and could not be aborted.
 */
const DOWNLOADER_PROGRAM = `
const { Runtime } = require(process.argv[1]);
const [, , downloadDir, version] = process.argv;
const runtime = Runtime.instance();
runtime
  .createEphemeralServer({
    type: 'dev-server',
    exe: { type: 'cached-download', downloadDir, version, ttl: 86400000, sdkName: 'sdk-typescript', sdkVersion: '1.24.0' },
    namespace: 'default', ip: '127.0.0.1', port: null, uiPort: null, dbFilename: null, ui: false,
    log: { format: 'text', level: 'never' }, extraArgs: [],
  })
  .then((server) => runtime.shutdownEphemeralServer(server))
  .catch((error) => { console.error(error.message); process.exitCode = 1; });
`;

/**
 * Downloads the Temporal CLI with the SDK's downloader.
 *
 * @param stagingDir empty folder for the download
 * @param report receives the state of a running download, at most every ten seconds
 * @returns the path of the downloaded CLI
 * @throws if nothing arrives for {@link STALL_TIMEOUT_MS} ms, or the downloader fails
 */
export async function downloadCli(
  stagingDir: string,
  env: NodeJS.ProcessEnv,
  report: (state: string) => void,
): Promise<string> {
  const version = `v${TEMPORAL_CLI_VERSION}`;
  const sdk = createRequire(import.meta.url).resolve('@temporalio/worker');
  const stalled = new AbortController();
  const stopWatching = watchGrowth(stagingDir, report, () => {
    stalled.abort(new Error(`no data for ${STALL_TIMEOUT_MS / 1000} s`));
  });
  const result = await runCommand({
    command: process.execPath,
    args: ['--eval', DOWNLOADER_PROGRAM, sdk, stagingDir, version],
    env,
    signal: stalled.signal,
  }).finally(stopWatching);
  const finished = (await readdir(stagingDir)).find(
    (name) => name.startsWith(`temporal-${version}`) && !name.endsWith('.downloading'),
  );
  // The file gets this name when it is complete: a failure after that is one of the start, not of the download.
  if (finished === undefined) throw new Error(lastLine(result.output));
  return join(stagingDir, finished);
}

/** @returns a function that ends the watch */
function watchGrowth(folder: string, report: (state: string) => void, onStall: () => void): () => void {
  const started = Date.now();
  let bytes = 0;
  let lastGrowth = started;
  let lastReport = started;
  const timer = setInterval(() => {
    void sizeOfFiles(folder).then((size) => {
      const now = Date.now();
      if (size > bytes) lastGrowth = now;
      bytes = size;
      if (now - lastGrowth > STALL_TIMEOUT_MS) onStall();
      if (now - lastReport < REPORT_INTERVAL_MS) return;
      lastReport = now;
      const megabytes = (bytes / 1e6).toFixed(0);
      report(
        bytes === 0
          ? `waiting for an answer, ${seconds(started, now)} s`
          : `${megabytes} MB, ${seconds(started, now)} s`,
      );
    });
  }, WATCH_INTERVAL_MS);
  return () => {
    clearInterval(timer);
  };
}

async function sizeOfFiles(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    // The SDK renames the file when it is complete, so a listed name may be gone.
    total += await stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return total;
}

function seconds(from: number, to: number): number {
  return Math.round((to - from) / 1000);
}

function lastLine(output: string): string {
  return output.split('\n').at(-1) ?? 'no message';
}
