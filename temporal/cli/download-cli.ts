import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TEMPORAL_CLI_VERSION } from './cli-cache.ts';
import { run } from './programs.ts';

const LOOK_INTERVAL_MS = 5_000;

/** A download has failed if it shows no new byte for so many looks in a row. */
const MOST_IDLE_LOOKS = 12;

/**
 * Program of the child process. The SDK's test environment downloads the CLI to a folder and starts it as a server.
 * The program stops the server at once: the SDK has no public way to download alone.
 *
 * The SDK knows the platforms, the archive formats and the proxies of the environment. It runs in a process of its own
 * because it claims the SDK's one Runtime, which our worker configures, and because it cannot be aborted.
 */
const DOWNLOADER_PROGRAM = `
const { TestWorkflowEnvironment } = require(process.argv[1]);
const [, , downloadDir, version] = process.argv;
TestWorkflowEnvironment.createLocal({
  server: {
    executable: { type: 'cached-download', downloadDir, version },
    log: { format: 'text', level: 'never' },
  },
})
  .then((server) => server.teardown())
  .catch((error) => { console.error(error.message); process.exitCode = 1; });
`;

/**
 * Downloads the Temporal CLI with the SDK's downloader.
 *
 * @param stagingDir empty folder for the download
 * @param report receives the state of a running download every five seconds
 * @returns the path of the downloaded CLI
 * @throws if nothing arrives for a minute, or the downloader fails
 */
export async function downloadCli(
  stagingDir: string,
  env: NodeJS.ProcessEnv,
  report: (state: string) => void,
): Promise<string> {
  const version = `v${TEMPORAL_CLI_VERSION}`;
  const sdk = createRequire(import.meta.url).resolve('@temporalio/testing');
  const stalled = new AbortController();
  let [seconds, bytes, idleLooks] = [0, 0, 0];
  const look = async (): Promise<void> => {
    const size = await sizeOfFiles(stagingDir);
    seconds += LOOK_INTERVAL_MS / 1000;
    idleLooks = size > bytes ? 0 : idleLooks + 1;
    bytes = size;
    if (idleLooks >= MOST_IDLE_LOOKS)
      stalled.abort(new Error(`no data for ${(idleLooks * LOOK_INTERVAL_MS) / 1000} s`));
    else report(`${bytes === 0 ? 'waiting for an answer' : `${(bytes / 1e6).toFixed(0)} MB`}, ${seconds} s`);
  };
  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS);
  const { output } = await run(process.execPath, ['--eval', DOWNLOADER_PROGRAM, sdk, stagingDir, version], {
    // A proxy for the outside world does not lead to the server on our loopback address.
    env: { ...env, no_grpc_proxy: '127.0.0.1' },
    signal: stalled.signal,
  }).finally(() => {
    clearInterval(timer);
  });
  const finished = (await readdir(stagingDir)).find(
    (name) => name.startsWith(`temporal-${version}`) && !name.endsWith('.downloading'),
  );
  // A complete file has this name. A failure after that is one of the start, not of the download.
  if (finished === undefined) throw new Error(output.split('\n').at(-1));
  return join(stagingDir, finished);
}

async function sizeOfFiles(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    // The SDK renames the file when it is complete, so that a listed name may be gone.
    total += await stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return total;
}
