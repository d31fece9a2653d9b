import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { defaultCliCacheDir } from '../temporal/cli/cli-cache.ts';
import { findInstalledCli, findTemporalCli } from '../temporal/cli/find-temporal-cli.ts';
import { devServerFiles } from '../temporal/dev-server/dev-server-files.ts';
import { runningDevServer } from '../temporal/dev-server/running-dev-server.ts';
import { withoutTemporalSettings } from '../temporal/dev-server/spawn-dev-server.ts';
import type { Settings } from './settings/settings.ts';

/**
 * Runs Temporal's command with its arguments against the server of the service: the embedded one of the data directory, or
 * the one that `TEMPORAL_ADDRESS` names. Returns the exit code of the command.
 *
 * @throws if no embedded server runs, or the command cannot be obtained
 */
export async function temporal(settings: Settings, args: readonly string[]): Promise<number> {
  const environment = { ...withoutTemporalSettings(process.env), ...(await connectionOf(settings)) };
  const child = spawn(await findCli(), args, { stdio: 'inherit', env: environment });
  // A terminal sends Ctrl-C to both. This process waits for the end of the command, to pass on its exit code.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

async function findCli(): Promise<string> {
  const { env } = process;
  const installed = await findInstalledCli(env, defaultCliCacheDir(env), () => undefined);
  const progress = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  return installed?.path ?? findTemporalCli({ env, progress });
}

/** Returns the variables by which Temporal's command reaches the server. Its flags override them. */
async function connectionOf(settings: Settings): Promise<Record<string, string>> {
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, dataDir } = settings;
  if (TEMPORAL_ADDRESS === null) {
    // A command that only looks must not create the folder.
    const server = existsSync(dataDir) ? await runningDevServer(await devServerFiles(dataDir)) : undefined;
    if (server === undefined)
      throw new Error(
        `no Temporal server runs in ${dataDir}: start the service (cost-analytics start), ` +
          'name its data directory (cost-analytics temporal --data DIR …), or set TEMPORAL_ADDRESS',
      );
    // A profile in the user's configuration may ask for TLS or a key, which the embedded server does not have.
    return {
      TEMPORAL_ADDRESS: `127.0.0.1:${server.port}`,
      TEMPORAL_NAMESPACE,
      TEMPORAL_TLS: 'false',
      TEMPORAL_API_KEY: '',
    };
  }
  const { TEMPORAL_API_KEY, TEMPORAL_TLS_CA, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY, TEMPORAL_TLS_SERVER_NAME } =
    settings;
  const given = {
    TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE,
    TEMPORAL_API_KEY,
    TEMPORAL_TLS_CA,
    TEMPORAL_TLS_CERT,
    TEMPORAL_TLS_KEY,
    TEMPORAL_TLS_SERVER_NAME,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
