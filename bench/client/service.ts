import { spawn } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bytesPeak, bytesWithReaders } from './process-memory.ts';

/** The command as an operator runs it, seen from dist/bench/client. */
const COMMAND = resolve(import.meta.dirname, '../../../bin/cost-analytics.cjs');

const SAMPLE_MS = 100;

/** The product as a process of its own, with the Temporal server it has started. */
export interface Service {
  url: string;
  dataDir: string;
  /** Most memory held so far: by the service with its readers, and by its Temporal server. */
  peakMemory: () => Promise<{ service: number; temporal: number }>;
  /** Memory that the service holds now with its readers (VmRSS). */
  memory: () => Promise<number>;
  /** SIGTERM, and its end. */
  stop: () => Promise<void>;
  /** `kill -9` of the service. */
  kill: () => Promise<void>;
}

/** A service that is starting: it can be killed before it is ready. */
export interface Starting {
  /** Rejects with the end of its log when it ends before it serves. */
  ready: Promise<Service>;
  kill: () => Promise<void>;
}

/** Its log goes to `service.log` in the data directory; nothing of it passes through this process. */
export const startService = async (
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<Starting> => {
  const logFile = join(dataDir, 'service.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [COMMAND, 'start'], {
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
  // A benchmark that is stopped leaves nothing running; the service takes its Temporal server along.
  const stopWithUs = (): void => {
    child.kill('SIGTERM');
  };
  process.once('exit', stopWithUs);
  void exited.then(() => process.removeListener('exit', stopWithUs));
  if (pid === undefined) throw new Error(`cannot execute ${COMMAND}`);
  // Readers come and go, so their peaks cannot be asked for at the end.
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
  return { ready, kill };
};

/**
 * The Temporal servers on the database of a data directory: told by their command line, as a killed service may
 * leave one without a trace.
 */
const temporalServers = async (dataDir: string): Promise<number[]> => {
  const database = join(dataDir, 'temporal.db');
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const commandLine = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.split('\0').includes(database)) found.push(Number(name));
  }
  return found;
};

/** `kill -9` of the Temporal server of a data directory; resolves when it is gone. */
export const killTemporal = async (dataDir: string): Promise<void> => {
  for (;;) {
    const servers = await temporalServers(dataDir);
    if (servers.length === 0) return;
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
};

const OFTEN_MS = 20;

/** The most memory that the service holds with its readers while `work` is done, in bytes, and what the work answers. */
export const mostMemoryDuring = async <Result>(
  service: Service,
  work: () => Promise<Result>,
): Promise<{ result: Result; most: number }> => {
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
};
