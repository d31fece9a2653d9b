import { readFile } from 'node:fs/promises';

const BYTES_PER_KIB = 1024;

/** The memory that a process and all below it need, in bytes (Linux only). */
export interface MachineMemory {
  /** What no other process shares, and the pages of each program file once. */
  all: number;
  /** VmRSS of the process itself. */
  own: number;
  /** VmRSS of its Temporal server; 0 without one. */
  temporal: number;
}

interface Process {
  command: string;
  anonymous: number;
  file: number;
}

/** Returns the current memory of a service with its readers and its Temporal server. */
export async function memoryOfMachine(pid: number): Promise<MachineMemory> {
  const [own, ...below] = await treeOf(pid);
  const temporal = below.find(({ command }) => command.includes('start-dev'));
  const rss = (one: Process | undefined): number => (one === undefined ? 0 : one.anonymous + one.file);
  const anonymous = [own, ...below].reduce((sum, one) => sum + (one?.anonymous ?? 0), 0);
  // The readers map the same files as the service.
  return {
    all: anonymous + (own?.file ?? 0) + (temporal?.file ?? 0),
    own: rss(own),
    temporal: rss(temporal),
  };
}

async function treeOf(pid: number): Promise<Process[]> {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const status = await read('status');
  const kib = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  const children = (await read(`task/${pid}/children`)).split(' ').filter(Boolean).map(Number);
  const self = {
    command: await read('cmdline'),
    anonymous: (kib('RssAnon') + kib('RssShmem')) * BYTES_PER_KIB,
    file: kib('RssFile') * BYTES_PER_KIB,
  };
  return [self, ...(await Promise.all(children.map(treeOf))).flat()];
}

/** Samples the memory of a service every 100 ms until it is stopped. Returns the most that it needed at once. */
export function watchMemory(pid: number): { most: () => MachineMemory; stop: () => void } {
  let most: MachineMemory = { all: 0, own: 0, temporal: 0 };
  const timer = setInterval(() => {
    void memoryOfMachine(pid).then((now) => {
      if (now.all > most.all) most = now;
    });
  }, 100);
  return {
    most: () => most,
    stop: () => {
      clearInterval(timer);
    },
  };
}
