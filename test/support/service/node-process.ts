import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { statOf } from './process-stat.ts';

/** The folder of this build. */
export const PRODUCT = resolve(import.meta.dirname, '../../..');

/** Several services share the machine, and small statements only make more threads wait for one another. */
const THREADS = { DUCKDB_THREADS: '1' };

const commandOf = (product: string): string => join(product, 'bin/cost-analytics.cjs');

/** The service as a separate process, as an operator runs it. */
export interface ServiceProcess {
  url: string;
  dataDir: string;
  pid: number;
  /** Returns its logs: everything that it has written to standard error. */
  logs: () => string;
  /** Resolves with its exit code when it has ended, for whatever reason. */
  exited: Promise<number | null>;
  /** Sends SIGTERM, and resolves with its exit code. */
  stop: () => Promise<number | null>;
  /** Kills the process, and the Temporal server that it started, with SIGKILL. */
  kill: () => Promise<void>;
}

export interface ProcessOptions {
  dataDir: string;
  command?: readonly string[];
  environment?: Record<string, string>;
  product?: string | undefined;
  node?: string;
}

/**
 * Starts the built command on a free port, and waits for its `ready` line. `environment` adds settings, for example `CLOCK`.
 * Exports may lie anywhere below the data directory, unless it sets other `SOURCE_ROOTS`. An empty one is the product's default.
 * `product` is the folder of another build, and `node` another Node.
 */
export async function startProcess(options: ProcessOptions): Promise<ServiceProcess> {
  const {
    dataDir,
    command = ['start'],
    environment = {},
    product = PRODUCT,
    node = process.execPath,
  } = options;
  const child = spawn(node, [commandOf(product), ...command], {
    cwd: dataDir,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', SOURCE_ROOTS: dataDir, ...THREADS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let logs = '';
  child.stderr.on('data', (chunk: Buffer) => {
    logs += chunk.toString();
  });
  const exited = exitOf(child);
  const ready = new Promise<string>((serving) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('ready ')) serving(line.slice('ready '.length));
    });
  });
  const url = await Promise.race([
    ready,
    exited.then((code) => {
      throw new Error(`the service ended with ${String(code)} before it was ready:\n${logs}`);
    }),
  ]);
  const { pid } = child;
  if (pid === undefined) throw new Error('the service has no process id');
  return {
    url,
    dataDir,
    pid,
    exited,
    logs: () => logs,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
      await killTemporal(dataDir);
    },
  };
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.on('exit', (code) => {
      resolve(code);
    });
  });

/** Kills the Temporal server that a killed service has left behind, and waits until it has released its files and ports. */
export async function killTemporal(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, 'temporal.json'), 'utf8').catch(() => null);
  if (text === null) return;
  const { pid } = JSON.parse(text) as { pid: number };
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  // It is not a child of this process, so that only polling can notice its end. A zombie has released its files and ports.
  for (;;) {
    if (/^[ZX]$/.test((await statOf(pid))?.state ?? 'X')) return;
    await new Promise((resume) => setTimeout(resume, 10));
  }
}

/** Runs a command of the product, or of another build with another Node, to its end. */
export async function runCommand(
  command: readonly string[],
  environment: Record<string, string>,
  { product = PRODUCT, node = process.execPath }: Pick<ProcessOptions, 'product' | 'node'> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(node, [commandOf(product), ...command], {
    env: { ...process.env, ...THREADS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return { code: await exitOf(child), stdout, stderr };
}
