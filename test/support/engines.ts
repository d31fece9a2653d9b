import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import type { Migration } from '../../warehouse/migrations.ts';
import { spillDirectory, Warehouse, type WarehouseSettings } from '../../warehouse/warehouse.ts';

const run = promisify(execFile);

/** A warehouse to test with, and how to open it a second time or throw it away. */
export interface TestWarehouse {
  warehouse: Warehouse;
  settings: WarehouseSettings;
  directory: string;
  close: () => Promise<void>;
}

const NO_STORAGE = { keyId: null, secret: null, sessionToken: null, region: null, endpoint: null };

const settingsIn = (directory: string, location: string, dataPath: string | null): WarehouseSettings => ({
  location,
  dataPath,
  extensions: process.env['DUCKDB_EXTENSIONS'] ?? null,
  memoryLimit: '1GB',
  threads: null,
  spillDirectory: spillDirectory(directory),
  objectStorage: NO_STORAGE,
});

const openIn = async (
  directory: string,
  settings: WarehouseSettings,
  migrations?: readonly Migration[],
): Promise<TestWarehouse> => {
  const warehouse = await Warehouse.open(settings, migrations);
  return {
    warehouse,
    settings,
    directory,
    close: async () => {
      warehouse.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'cost-analytics-test-'));

/** A fresh DuckDB file, its schema up to date or of the migrations given. */
export const openDuckDb = async (migrations?: readonly Migration[]): Promise<TestWarehouse> => {
  const directory = await newDirectory();
  return openIn(directory, settingsIn(directory, join(directory, 'warehouse.duckdb'), null), migrations);
};

/** The Postgres that `scripts/with-postgres.sh` has started, as libpq names it; null without one. */
export const testPostgres = process.env['TEST_POSTGRES'] ?? null;

/** A fresh database in the test Postgres, as a DuckLake catalog location. */
export const newCatalog = async (): Promise<string> => {
  if (testPostgres === null) throw new Error('TEST_POSTGRES is not set');
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await run('psql', ['-q', `${testPostgres} dbname=postgres`, '-c', `CREATE DATABASE ${database}`]);
  return `ducklake:postgres:${testPostgres} dbname=${database}`;
};

/**
 * A fresh DuckLake, its catalog in the test Postgres. It has one thread, for most of its time goes into planning, which
 * more threads only disturb; on DuckDB the same stories have as many as there are cores.
 */
export const openDuckLake = async (migrations?: readonly Migration[]): Promise<TestWarehouse> => {
  const directory = await newDirectory();
  const settings = settingsIn(directory, await newCatalog(), join(directory, 'lake'));
  return openIn(directory, { ...settings, threads: 1 }, migrations);
};

/** Whether this machine can run the DuckLake half of the suite. */
export const hasDuckLake = testPostgres !== null && process.env['DUCKDB_EXTENSIONS'] !== undefined;

/** Runs what it is given on DuckDB, and not at all on DuckLake. */
type OnDuckDb = (stories: () => void) => void;

/**
 * Runs a suite against both engines; without Postgres or the extensions DuckLake's half is skipped, loudly. DuckLake
 * takes six times as long: rules whose statements other stories send there too are for `onDuckDb` alone.
 */
export const describeOnBothEngines = (
  name: string,
  suite: (open: (migrations?: readonly Migration[]) => Promise<TestWarehouse>, onDuckDb: OnDuckDb) => void,
): void => {
  describe(`${name} on DuckDB`, () => {
    suite(openDuckDb, (stories) => {
      stories();
    });
  });
  const why = hasDuckLake ? '' : ' (SKIPPED: needs TEST_POSTGRES and DUCKDB_EXTENSIONS, see .ci/run)';
  describe.skipIf(!hasDuckLake)(`${name} on DuckLake${why}`, () => {
    suite(openDuckLake, () => undefined);
  });
};
