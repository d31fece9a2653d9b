import { spawn } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bytesPeak, bytesWithReaders } from './process-memory.ts';

/** The command that an operator runs, relative to dist/bench/client. */
export const COMMAND = resolve(import.meta.dirname, '../../../bin/cost-analytics.cjs');

const SAMPLE_MS = 100;

/** The product in a separate process, with the Temporal server that it has started. */
export interface Service {
  /** Where the API serves. A worker has none. */
  url: string;
  dataDir: string;
  pid: number;
  /** Returns the peak memory of the service with its readers, and of its Temporal server. */
  peakMemory: () => Promise<{ service: number; temporal: number }>;
  /** Returns the current memory of the service with its readers (VmRSS). */
  memory: () => Promise<number>;
  /** Sends SIGTERM, and waits for the end. */
  stop: () => Promise<void>;
  /** Kills the service with `kill -9`. */
  kill: () => Promise<void>;
}

/** A starting service, which can be killed before it is ready. */
export interface Starting {
  /** Rejects with the end of the log if the service ends before it serves. */
  ready: Promise<Service>;
  /** Resolves with its exit code when it has ended, for whatever reason. */
  exited: Promise<number | null>;
  kill: () => Promise<void>;
}

/**
 * Starts the service, or one half of it. It writes its log straight to `service.log` in the data directory, not through this
 * process.
 */
export async function startService(
  dataDir: string,
  environment: Record<string, string> = {},
  command: 'start' | 'api' | 'worker' = 'start',
): Promise<Starting> {
  const logFile = join(dataDir, 'service.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [COMMAND, command], {
    cwd: dataDir,
    env: { ...process.env, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', log.fd],
  });
  const exited = new Promise<number | null>((ended) => {
    child.on('exit', (code) => {
      ended(code);
    });
  });
  await log.close();
  const { pid, stdout } = child;
  // A stopped benchmark leaves nothing running. The service ends its Temporal server, too.
  const stopWithUs = (): void => {
    child.kill('SIGTERM');
  };
  process.once('exit', stopWithUs);
  void exited.then(() => process.removeListener('exit', stopWithUs));
  if (pid === undefined) throw new Error(`cannot execute ${COMMAND}`);
  // Samples the memory, because readers that have ended have no peaks to read later.
  let most = 0;
  const sampling = setInterval(() => {
    void bytesWithReaders(pid).then((bytes) => (most = Math.max(most, bytes)));
  }, SAMPLE_MS).unref();
  void exited.then(() => {
    clearInterval(sampling);
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const serving = new Promise<string>((served) => {
    if (stdout !== null)
      createInterface({ input: stdout }).on('line', (line) => {
        if (line.startsWith('ready ')) served(line.slice('ready '.length));
      });
  });
  const failed = exited.then(async (code) => {
    const end = (await readFile(logFile, 'utf8')).slice(-2_000);
    throw new Error(`the service ended with ${String(code)} before it was ready:\n${end}`);
  });
  const ready = Promise.race([serving, failed]).then((url) => ({
    url,
    dataDir,
    pid,
    peakMemory: async () => {
      const [temporal] = await temporalServers(dataDir);
      return {
        service: Math.max(most, await bytesPeak(pid)),
        temporal: temporal === undefined ? 0 : await bytesPeak(temporal),
      };
    },
    memory: () => bytesWithReaders(pid),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
    kill,
  }));
  failed.catch(() => undefined);
  ready.catch(() => undefined);
  return { ready, exited, kill };
}

/**
 * Finds the Temporal servers on the database of a data directory by their command lines, because a killed service may leave one
 * without a trace.
 */
async function temporalServers(dataDir: string): Promise<number[]> {
  const database = join(dataDir, 'temporal.db');
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const commandLine = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.split('\0').includes(database)) found.push(Number(name));
  }
  return found;
}

/** Kills the Temporal server of a data directory with `kill -9`, and resolves when it is gone. Returns whether there was one. */
export async function killTemporal(dataDir: string): Promise<boolean> {
  for (let wasThere = false; ; wasThere = true) {
    const servers = await temporalServers(dataDir);
    if (servers.length === 0) return wasThere;
    for (const pid of servers) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // It ended by itself just now.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

const OFTEN_MS = 20;

/** Runs `work`. Returns its result, and the most memory of the service with its readers meanwhile, in bytes. */
export async function mostMemoryDuring<Result>(
  service: Service,
  work: () => Promise<Result>,
): Promise<{ result: Result; most: number }> {
  let most = await service.memory();
  const sampling = setInterval(() => {
    void service.memory().then((held) => (most = Math.max(most, held)));
  }, OFTEN_MS);
  try {
    const result = await work();
    return { result, most };
  } finally {
    clearInterval(sampling);
  }
}
