import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultCliCacheDir } from '../../../temporal/cli/cli-cache.ts';
import { findInstalledCli, findTemporalCli } from '../../../temporal/cli/find-temporal-cli.ts';
import { WAIT_MS } from '../patience.ts';

const FETCH_EXTENSIONS = join(import.meta.dirname, '../../../scripts/fetch-duckdb-extensions.sh');

/**
 * Gets once, before all tests, what the first use would get in each test: a Temporal CLI, which Go may have to build, and DuckDB's
 * extensions. Tests find both in variables. Without them, they are skipped (needs.ts).
 */
export default async function setup(): Promise<void> {
  await provide('TEST_TEMPORAL_CLI', temporalCli);
  // A caller may set it to an empty text, to test without extensions.
  if (process.env['DUCKDB_EXTENSIONS'] === undefined) await provide('DUCKDB_EXTENSIONS', extensions);
}

async function provide(variable: string, get: () => Promise<string>): Promise<void> {
  try {
    process.env[variable] = await get();
  } catch (error) {
    say(`Without ${variable}, the tests that need it are skipped: ${String(error)}`);
  }
}

async function temporalCli(): Promise<string> {
  const { env } = process;
  const installed = await findInstalledCli(env, defaultCliCacheDir(env), () => undefined);
  return installed?.path ?? findTemporalCli({ env, progress: say });
}

const extensions = async (): Promise<string> =>
  (await promisify(execFile)(FETCH_EXTENSIONS, [], { timeout: WAIT_MS })).stdout.trim();

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
