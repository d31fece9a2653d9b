import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, inject } from 'vitest';
import { isInPart, partFrom } from '../effort.ts';
import { LAKE, lacking } from '../needs.ts';
import type { Migration } from '../../../warehouse/engine/migrations/migration.ts';
import { spillDirectory, Warehouse, type WarehouseSettings } from '../../../warehouse/engine/warehouse.ts';

const run = promisify(execFile);

/** A warehouse to test with, and the settings that open it a second time. */
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
  // Small statements only make more threads wait for one another.
  threads: 1,
  spillDirectory: spillDirectory(directory),
  cacheBytes: 64_000_000,
  objectStorage: NO_STORAGE,
});

async function openIn(
  directory: string,
  settings: WarehouseSettings,
  migrations?: readonly Migration[],
): Promise<TestWarehouse> {
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
}

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'cost-analytics-test-'));

/** Returns the settings of a DuckDB file in a folder. */
export const fileSettings = (directory: string): WarehouseSettings =>
  settingsIn(directory, join(directory, 'warehouse.duckdb'), null);

/** Opens a fresh DuckDB file: a copy of the template, or one made by the given migrations. */
export async function openDuckDb(migrations?: readonly Migration[]): Promise<TestWarehouse> {
  const directory = await newDirectory();
  const settings = fileSettings(directory);
  if (migrations === undefined)
    await copyFile(fileSettings(inject('templates').file).location, settings.location);
  return openIn(directory, settings, migrations);
}

/** The Postgres that `scripts/with-postgres.sh` has started, as a libpq connection string; null if there is none. */
const testPostgres = process.env['TEST_POSTGRES'] ?? null;

/** Runs a statement in a database of the test Postgres. */
export async function psql(database: string, sql: string): Promise<void> {
  if (testPostgres === null) throw new Error('TEST_POSTGRES is not set');
  await run('psql', ['-q', `${testPostgres} dbname=${database}`, '-v', 'ON_ERROR_STOP=1', '-c', sql]);
}

export const newDatabase = (): string => `test_${randomUUID().replaceAll('-', '')}`;

const catalogOf = (database: string): string => `ducklake:postgres:${testPostgres ?? ''} dbname=${database}`;

/** Creates a database in the test Postgres, and returns it as a DuckLake catalog location. */
export async function newCatalog(): Promise<string> {
  const database = newDatabase();
  await psql('postgres', `CREATE DATABASE ${database}`);
  return catalogOf(database);
}

const lakeFolder = (directory: string): string => join(directory, 'lake');

/** Returns the settings of a DuckLake in a folder and a database. */
export const lakeSettings = (directory: string, database: string): WarehouseSettings => ({
  ...settingsIn(directory, catalogOf(database), lakeFolder(directory)),
});

/** Opens a fresh DuckLake with its catalog in the test Postgres: a copy of the template, or one made by the given migrations. */
export async function openDuckLake(migrations?: readonly Migration[]): Promise<TestWarehouse> {
  const directory = await newDirectory();
  const database = newDatabase();
  const template = migrations === undefined ? inject('templates').lake : null;
  if (template === null) await psql('postgres', `CREATE DATABASE ${database}`);
  else {
    await psql('postgres', `CREATE DATABASE ${database} TEMPLATE ${template.database}`);
    await psql(
      database,
      `UPDATE ducklake_metadata SET value = replace(value, '${template.directory}', '${directory}') WHERE key = 'data_path'`,
    );
    await cp(lakeFolder(template.directory), lakeFolder(directory), { recursive: true });
  }
  return openIn(directory, lakeSettings(directory, database), migrations);
}

/** Defines tests that run on DuckDB only. */
type OnDuckDb = (stories: () => void) => void;

/** The part of the suites that this run tries on DuckLake, too. */
const LAKE_PART = partFrom('LAKE_PART');

/** Why a suite is not tried on DuckLake, for its title; empty if it is. */
function whyNotOnLake(name: string): string {
  const index = createHash('sha256').update(name).digest().readUInt32BE();
  return isInPart(LAKE_PART, index) ? lacking(...LAKE) : ' (SKIPPED: not in LAKE_PART)';
}

/**
 * Defines a suite on both engines. Without Postgres or the extensions, the DuckLake half is skipped, and its title says so.
 * DuckLake takes six times as long. So tests use `onDuckDb` if others send the same statements to DuckLake.
 */
export function describeOnBothEngines(
  name: string,
  suite: (open: (migrations?: readonly Migration[]) => Promise<TestWarehouse>, onDuckDb: OnDuckDb) => void,
): void {
  describe(`${name} on DuckDB`, () => {
    suite(openDuckDb, (stories) => {
      stories();
    });
  });
  const why = whyNotOnLake(name);
  describe.skipIf(why !== '')(`${name} on DuckLake${why}`, () => {
    suite(openDuckLake, () => undefined);
  });
}
