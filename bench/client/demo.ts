import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { defaultMemory } from '../../bin/settings/default-memory.ts';
import { watchMemory, type MachineMemory } from './machine-memory.ts';
import { COMMAND } from './service.ts';

/** What a machine with one core and 1 GiB gives a service, for a run on a larger machine. */
export const SMALL_MACHINE = {
  prefix: ['taskset', '-c', '0'],
  environment: {
    // What the product and Node choose there.
    DUCKDB_MEMORY_LIMIT: defaultMemory(2 ** 30),
    NODE_OPTIONS: '--max-old-space-size=512',
    // What docs/operation.md advises.
    MALLOC_ARENA_MAX: '2',
  },
} as const;

/** A demo as its user sees it. */
export interface Demo {
  pid: number;
  /** Seconds from the start of the process to the first unit cost and to the last line. */
  seconds: { first: number; whole: number };
  url: string;
  /** The most memory that it needed until then. */
  most: () => MachineMemory;
  stop: () => Promise<void>;
}

/** Starts the demo in a new data directory, and waits until it has shown everything. */
export async function startDemo(
  dataDir: string,
  {
    prefix = [],
    environment = {},
  }: { prefix?: readonly string[]; environment?: Readonly<Record<string, string>> } = {},
): Promise<Demo> {
  const started = performance.now();
  const [program = '', ...args]: string[] = [...prefix, process.execPath, COMMAND, 'demo'];
  const child = spawn(program, [...args, '--data', dataDir, '--port', '0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((ended) => {
    child.on('exit', ended);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot execute ${COMMAND}`);
  const watch = watchMemory(pid);
  const seconds = { first: NaN, whole: NaN };
  const shown = new Promise<string>((ready) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const now = (performance.now() - started) / 1000;
      if (line.startsWith('First unit cost: ')) seconds.first = now;
      if (!line.startsWith('ready ')) return;
      seconds.whole = now;
      ready(line.slice('ready '.length));
    });
  });
  const failed = exited.then((code) => {
    throw new Error(`the demo ended with ${String(code)} before it had shown everything`);
  });
  const url = await Promise.race([shown, failed]);
  failed.catch(() => undefined);
  watch.stop();
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  return { pid, seconds, url, most: watch.most, stop };
}
