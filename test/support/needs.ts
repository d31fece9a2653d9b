import { spawnSync } from 'node:child_process';
import { CHROMIUM } from '../../bench/client/find-chromium.ts';

const isSet = (name: string): boolean => (process.env[name] ?? '') !== '';

/** What tests need and a fresh machine may lack: in words with the way to get it, and whether it is there. */
const NEEDS = {
  temporal: ['Temporal: install its CLI, or Go, which builds it', () => isSet('TEST_TEMPORAL_CLI')],
  extensions: [
    'the DuckDB extensions: install python3 with pip, or set DUCKDB_EXTENSIONS',
    () => isSet('DUCKDB_EXTENSIONS'),
  ],
  postgres: ['Postgres: run scripts/with-postgres.sh npm test', () => isSet('TEST_POSTGRES')],
  versitygw: [
    'versitygw: install Go, and set VERSITYGW=$(scripts/fetch-versitygw.sh)',
    () => isSet('VERSITYGW'),
  ],
  generators: [
    'the generators of clients: install Go and python3 with pip, and set CLIENT_GENERATORS=$(scripts/fetch-client-generators.sh)',
    () => isSet('CLIENT_GENERATORS'),
  ],
  sqlglot: [
    'sqlglot: install python3 with pip, and set SQLGLOT=$(scripts/fetch-sqlglot.sh)',
    () => isSet('SQLGLOT'),
  ],
  helm: ['helm: install Go, and set HELM_TOOLS=$(scripts/fetch-helm.sh)', () => isSet('HELM_TOOLS')],
  promtool: ['promtool: install Go, and set PROMTOOL=$(scripts/fetch-promtool.sh)', () => isSet('PROMTOOL')],
  chromium: ['Chromium: install it, or set CHROMIUM to its path', () => CHROMIUM !== null],
  shell: [
    'bash, curl and gzip: install them',
    () => spawnSync('bash', ['-c', 'command -v curl && command -v gzip']).status === 0,
  ],
  systemd: [
    'systemd-notify and python3: install systemd and python3',
    () => spawnSync('bash', ['-c', 'command -v systemd-notify && command -v python3']).status === 0,
  ],
} as const satisfies Record<string, readonly [string, () => boolean]>;

export type Need = keyof typeof NEEDS;

/** What a DuckLake needs. */
export const LAKE: readonly Need[] = ['postgres', 'extensions'];

/** What several processes over one DuckLake need. */
export const CLUSTER: readonly Need[] = [...LAKE, 'versitygw'];

/** Returns the end of a test's title, which says why the test is skipped; an empty text if this machine has what it needs. */
export const lacking = (...needs: readonly Need[]): string =>
  skipped(needs.flatMap((need) => (NEEDS[need][1]() ? [] : [NEEDS[need][0]])));

/** Returns the end of the title of a test that lacks something, or an empty text if nothing is missing. */
export const skipped = (missing: readonly string[]): string =>
  missing.length === 0 ? '' : ` (SKIPPED: needs ${missing.join('; ')})`;
