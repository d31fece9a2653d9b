import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { startBackends, type Backends } from '../../../bench/nodes/backends.ts';
import { startTemporal } from '../../../bench/nodes/temporal.ts';
import { killTemporal, startProcess, type ServiceProcess } from '../service/node-process.ts';
import { startBalancer } from './balancer.ts';
import { startBusyFront, type BusyFront } from './busy-front.ts';

/** What the processes of a cluster share, and what stays when they end. */
interface Shared extends Backends {
  /** Stands before the object store. */
  front: BusyFront;
}

/** Several processes of the product over one DuckLake, its object store, and one Temporal. It can be used as one service. */
export interface Cluster extends ServiceProcess, Pick<Shared, 'postgres' | 'front'> {
  apis: ServiceProcess[];
  workers: ServiceProcess[];
  /** Kills a process without a warning, and starts another in its place. */
  replace: (node: ServiceProcess) => Promise<void>;
}

const APIS = 3;
const WORKERS = 2;

/** The backends of the clusters that have run in this process, by data directory. */
const SHARED = new Map<string, Promise<Shared>>();

/** Stops what a cluster in a data directory has left. */
export async function removeBackends(dataDir: string): Promise<void> {
  const shared = SHARED.get(dataDir);
  if (shared === undefined) return;
  SHARED.delete(dataDir);
  const { front, stop } = await shared;
  await front.close();
  await stop();
}

/** Starts three API and two worker processes, with the data of an earlier cluster in the same data directory. */
export async function startCluster(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const shared = SHARED.get(dataDir) ?? newShared(dataDir);
  SHARED.set(dataDir, shared);
  const { postgres, front, environment } = await shared;
  const temporal = await startTemporal(dataDir);
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
    apis,
    workers,
    postgres,
    front,
    dataDir,
    exited,
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
      await balancer.close();
      await temporal.stop();
      return codes.find((code) => code !== 0) ?? 0;
    },
    kill: async () => {
      await Promise.all(nodes().map((node) => node.kill()));
      await balancer.close();
      await killTemporal(dataDir);
    },
  };
}

async function newShared(dataDir: string): Promise<Shared> {
  // A single process makes it for exports.
  await mkdir(join(dataDir, 'exports'), { recursive: true });
  const backends = await startBackends(dataDir);
  const front = await startBusyFront(backends.store.url);
  const environment = { ...backends.environment, AWS_ENDPOINT_URL_S3: front.url };
  return { ...backends, environment, front };
}
