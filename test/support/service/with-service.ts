import { afterAll, beforeAll } from 'vitest';
import type { ProcessOptions, ServiceProcess } from './node-process.ts';
import { newDataDir, removeDataDir, startService } from './service-process.ts';

type Environment = NonNullable<ProcessOptions['environment']>;

/** The service of some stories: the process that runs at the moment, or ran last. */
export interface StoryService extends ServiceProcess {
  /** Starts it again on its data, by default as it was started last. The one before must have ended. */
  start: (environment?: Environment, product?: string) => Promise<void>;
}

/**
 * Starts a service on an empty data directory before the tests of the file, or of the `describe`. After them it stops, and its data
 * is removed. `environment` may first make what the settings name.
 */
export function withService(
  environment: Environment | ((dataDir: string) => Environment | Promise<Environment>) = {},
): StoryService {
  let running: ServiceProcess | undefined;
  let dataDir = '';
  let settings: Environment = {};
  const now = (): ServiceProcess => {
    if (running === undefined)
      throw new Error('the service starts before the tests, not when their file loads');
    return running;
  };
  const start: StoryService['start'] = async (changed = settings, product) => {
    settings = changed;
    running = await startService({ dataDir, environment: settings, product });
  };
  beforeAll(async () => {
    dataDir = await newDataDir();
    await start(typeof environment === 'function' ? await environment(dataDir) : environment);
  });
  afterAll(async () => {
    await running?.stop();
    if (dataDir !== '') await removeDataDir(dataDir);
  });
  return {
    get url() {
      return now().url;
    },
    get dataDir() {
      return now().dataDir;
    },
    get pid() {
      return now().pid;
    },
    get exited() {
      return now().exited;
    },
    logs: () => now().logs(),
    stop: () => now().stop(),
    kill: () => now().kill(),
    start,
  };
}
