import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startObjectStore, type ObjectStore } from './object-store.ts';
import { startPostgres, type OwnPostgres } from './postgres.ts';

/** What several processes of the product share: a DuckLake with its catalog and its object store, and their keys. */
export interface Backends {
  postgres: OwnPostgres;
  /** The name of the catalog's database. */
  catalog: string;
  store: ObjectStore;
  /** The settings that all processes share. */
  environment: Record<string, string>;
  /** Stops both servers, and removes their data. */
  stop: () => Promise<void>;
}

/** Starts the backends. `operator.key` in the data directory holds the operator key. */
export async function startBackends(dataDir: string): Promise<Backends> {
  const catalog = 'lake';
  const postgres = await startPostgres();
  await postgres.query('postgres', `CREATE DATABASE ${catalog}`);
  const folder = join(dataDir, 'store');
  await mkdir(folder);
  const store = await startObjectStore(folder);
  const operatorKey = join(dataDir, 'operator.key');
  await writeFile(operatorKey, randomBytes(16).toString('hex'), { flag: 'wx' }).catch(
    (error: unknown) => error,
  );
  return {
    postgres,
    catalog,
    store,
    environment: {
      ...store.environment,
      WAREHOUSE: `ducklake:postgres:${postgres.connection} dbname=${catalog}`,
      MASTER_KEY: randomBytes(32).toString('base64'),
      OPERATOR_KEY: (await readFile(operatorKey, 'utf8')).trim(),
    },
    stop: async () => {
      await store.stop();
      await postgres.remove();
    },
  };
}
