import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCALED_OUT } from '../effort.ts';
import { removeBackends, startCluster } from '../nodes/cluster.ts';
import { PRODUCT, startProcess, type ProcessOptions, type ServiceProcess } from './node-process.ts';

export { runCommand, type ServiceProcess } from './node-process.ts';

/** Copies this build into a folder, for a test to change. */
export async function copyProduct(folder: string): Promise<void> {
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(join(PRODUCT, part), join(folder, part), { recursive: true });
  await symlink(join(PRODUCT, 'node_modules'), join(folder, 'node_modules'));
}

/** Makes an empty data directory. */
export const newDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'cost-analytics-e2e-'));

export async function removeDataDir(dataDir: string): Promise<void> {
  await removeBackends(dataDir);
  await rm(dataDir, { recursive: true, force: true });
}

/**
 * Starts the service as one process, or with SCALED_OUT as several processes over a DuckLake, which share the requests; see
 * {@link startProcess}.
 */
export const startService = (options: ProcessOptions): Promise<ServiceProcess> =>
  SCALED_OUT && options.command === undefined
    ? startCluster(options.dataDir, options.environment)
    : startProcess(options);
