import type { Service } from '../client/service.ts';
import { startCluster, type Cluster } from './cluster.ts';

/** Three APIs and a worker over one cluster. */
export interface ScaledOut {
  cluster: Cluster;
  apis: [Service, Service, Service];
  worker: Service;
  stop: () => Promise<void>;
}

/** Starts a cluster and its processes. */
export async function startScaledOut(settings: Readonly<Record<string, string>>): Promise<ScaledOut> {
  const cluster = await startCluster(settings);
  const started: Service[] = [];
  const start = async (role: 'api' | 'worker'): Promise<Service> => {
    const service = await (await cluster.start(role)).ready;
    started.push(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((service) => service.kill()));
    await cluster.stop();
  };
  try {
    const apis: ScaledOut['apis'] = [await start('api'), await start('api'), await start('api')];
    return { cluster, apis, worker: await start('worker'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
