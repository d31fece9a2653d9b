import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { findTemporalCli } from '../../../temporal/cli/find-temporal-cli.ts';
import { startDevServer } from '../../../temporal/dev-server/dev-server.ts';
import { killTemporal, startProcess, type ServiceProcess } from '../service/node-process.ts';
import { hasDuckLake } from '../warehouse/engines.ts';
import { startBalancer } from './balancer.ts';
import { startObjectStore, type ObjectStore } from './object-store.ts';
import { startPostgres, type OwnPostgres } from './postgres.ts';

/** What the processes of a cluster share, and what stays when they end. */
interface Backends {
  postgres: OwnPostgres;
  store: ObjectStore;
  /** The settings that all processes share. */
  environment: Record<string, string>;
}

/** Several processes of the product over one DuckLake, its object store, and one Temporal. It can be used as one service. */
export interface Cluster extends ServiceProcess, Omit<Backends, 'environment'> {
  apis: ServiceProcess[];
  workers: ServiceProcess[];
  /** Kills a process without a warning, and starts another in its place. */
  replace: (node: ServiceProcess) => Promise<void>;
}

/** Whether this machine can run a cluster. */
export const hasCluster = hasDuckLake && process.env['VERSITYGW'] !== undefined;

const APIS = 3;
const WORKERS = 2;

/** The backends of the clusters that have run in this process, by data directory. */
const BACKENDS = new Map<string, Promise<Backends>>();

/** Stops what a cluster in a data directory has left. */
export const removeBackends = async (dataDir: string): Promise<void> => {
  const backends = BACKENDS.get(dataDir);
  if (backends === undefined) return;
  BACKENDS.delete(dataDir);
  const { postgres, store } = await backends;
  await store.stop();
  await postgres.remove();
};

/** Starts three API and two worker processes, with the data of an earlier cluster in the same data directory. */
export const startCluster = async (
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> => {
  const backends = BACKENDS.get(dataDir) ?? newBackends(dataDir);
  BACKENDS.set(dataDir, backends);
  const { postgres, store, environment } = await backends;
  const temporal = await startDevServer({
    cli: await findTemporalCli({ env: process.env, progress: () => undefined }),
    dataDir,
    uiPort: null,
    namespace: 'default',
    // As in a Temporal of another operator, nothing is prepared for the product.
    searchAttributes: {},
    log: pino({ level: 'silent' }),
  });
  const start = async (command: 'api' | 'worker'): Promise<ServiceProcess> =>
    startProcess({
      dataDir: await mkdtemp(join(dataDir, 'node-')),
      command: [command],
      environment: { ...environment, TEMPORAL_ADDRESS: temporal.address, SOURCE_ROOTS: dataDir, ...settings },
    });
  const several = (command: 'api' | 'worker', count: number) =>
    Promise.all(Array.from({ length: count }, () => start(command)));
  const [apis, workers] = await Promise.all([several('api', APIS), several('worker', WORKERS)]);
  const balancer = await startBalancer(() => apis.map(({ url }) => url));
  const ended: ServiceProcess[] = [];
  const nodes = () => [...apis, ...workers];
  const exited = Promise.race(nodes().map((node) => node.exited));
  return {
    ...{ apis, workers, postgres, store, dataDir, exited },
    pid: process.pid,
    url: balancer.url,
    logs: () => [...ended, ...nodes()].map((node) => node.logs()).join(''),
    replace: async (node) => {
      await node.kill();
      ended.push(node);
      const [command, list] = apis.includes(node) ? (['api', apis] as const) : (['worker', workers] as const);
      list.splice(list.indexOf(node), 1, await start(command));
    },
    stop: async () => {
      const codes = await Promise.all(nodes().map((node) => node.stop()));
      await balancer.stop();
      await temporal.stop();
      return codes.find((code) => code !== 0) ?? 0;
    },
    kill: async () => {
      await Promise.all(nodes().map((node) => node.kill()));
      await balancer.stop();
      await killTemporal(dataDir);
    },
  };
};

const newBackends = async (dataDir: string): Promise<Backends> => {
  const postgres = await startPostgres();
  await postgres.psql('postgres', 'CREATE DATABASE lake');
  const folder = join(dataDir, 'store');
  await mkdir(folder);
  // A single process makes it for exports.
  await mkdir(join(dataDir, 'exports'), { recursive: true });
  const store = await startObjectStore(folder);
  const operatorKey = join(dataDir, 'operator.key');
  await writeFile(operatorKey, randomBytes(16).toString('hex'), { flag: 'wx' }).catch(
    (error: unknown) => error,
  );
  return {
    postgres,
    store,
    environment: {
      ...store.environment,
      WAREHOUSE: `ducklake:postgres:${postgres.connection} dbname=lake`,
      MASTER_KEY: randomBytes(32).toString('base64'),
      OPERATOR_KEY: (await readFile(operatorKey, 'utf8')).trim(),
    },
  };
};
