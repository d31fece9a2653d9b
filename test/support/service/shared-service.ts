import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { listenLocally } from '../fakes/file-server.ts';
import { newDataDir, removeDataDir, startService, type ServiceProcess } from './service-process.ts';

/** The service that test files share, and a folder below its source roots for the exports of one file. */
export interface SharedService {
  url: string;
  dataDir: string;
  exportsDir: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL that returns the address of the shared service. The first request starts the service. */
    sharedService: string;
  }
}

/** Provides one service to all test files of a run. It starts with the first request and stops at the end. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const started: Promise<ServiceProcess>[] = [];
  const start = async (): Promise<ServiceProcess> =>
    startService({
      dataDir: await newDataDir(),
      environment: { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' },
    });
  const lender = await listenLocally((_request, response) => {
    if (started.length === 0) started.push(start());
    void Promise.all(started).then(
      ([service]) => response.end(JSON.stringify({ url: service?.url, dataDir: service?.dataDir })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  provide('sharedService', lender.url);
  return async () => {
    await lender.close();
    for (const service of await Promise.all(started)) {
      await service.stop();
      await removeDataDir(service.dataDir);
    }
  };
}

/**
 * Returns the service that test files share. Its time is 7 February 2026, and it may reach this machine. Each test makes an
 * organisation of its own. A file that restarts or disturbs the service, or reads its log, starts its own service.
 */
export async function sharedService(): Promise<SharedService> {
  const response = await fetch(inject('sharedService'));
  if (!response.ok) throw new Error(await response.text());
  const service = (await response.json()) as Pick<SharedService, 'url' | 'dataDir'>;
  return { ...service, exportsDir: await mkdtemp(join(service.dataDir, 'exports-')) };
}
