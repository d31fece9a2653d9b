import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type Starting } from '../client/service.ts';
import { startTemporal } from './temporal.ts';
import { startBackends, type Backends } from './backends.ts';

/** The two halves of the service that run as processes of their own. */
export type Role = 'api' | 'worker';

/** What the processes of a scaled-out service share, and how to start one of them. */
export interface Cluster extends Pick<Backends, 'postgres' | 'catalog' | 'store'> {
  /** Holds `operator.key`, and the data directory of each process. */
  dataDir: string;
  temporal: {
    /** host:port */
    address: string;
    pid: number;
  };
  start: (role: Role) => Promise<Starting>;
  /** Stops the backends, and removes the directory. The processes must have ended. */
  stop: () => Promise<void>;
}

/** Starts Postgres, an object store and Temporal, for processes that the caller starts. */
export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const backends = await startBackends(dataDir);
  const temporal = await startTemporal(dataDir);
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'temporal.json'), 'utf8')) as { pid: number };
  // It is in a process group of its own, so that nothing else ends it with a stopped benchmark.
  const stopWithUs = (): void => {
    process.kill(pid, 'SIGTERM');
  };
  process.once('exit', stopWithUs);
  const environment = {
    ...backends.environment,
    TEMPORAL_ADDRESS: temporal.address,
    SOURCE_ROOTS: dataDir,
    ...settings,
  };
  return {
    ...backends,
    dataDir,
    temporal: { address: temporal.address, pid },
    start: async (role) => startService(await mkdtemp(join(dataDir, `${role}-`)), environment, role),
    stop: async () => {
      process.removeListener('exit', stopWithUs);
      await temporal.stop();
      await backends.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
