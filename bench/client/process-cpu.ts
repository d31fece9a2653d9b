import { readFile } from 'node:fs/promises';

/** Linux counts the time of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds of processes and of all below them, those that have ended included (Linux only). */
async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const seconds = await Promise.all(pids.map(cpuOfTree));
  return seconds.reduce((sum, one) => sum + one, 0);
}

/** Runs `work`. Returns its result, and the CPU seconds of each kind of process meanwhile. */
export async function cpuDuring<Kind extends string, Result>(
  kinds: Record<Kind, readonly number[]>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpu: Record<Kind, number> }> {
  const names = Object.keys(kinds) as Kind[];
  const read = () => Promise.all(names.map((name) => cpuSeconds(kinds[name])));
  const before = await read();
  const result = await work();
  const after = await read();
  const used = names.map((name, at) => [name, (after[at] ?? 0) - (before[at] ?? 0)] as const);
  return { result, cpu: Object.fromEntries(used) as Record<Kind, number> };
}

async function cpuOfTree(pid: number): Promise<number> {
  // A process may end between two reads. Its parent then has its time.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return 0;
  // User and system time of the process, then of its children that have ended. Its name may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return own + (await cpuSeconds(children.split(' ').filter(Boolean).map(Number)));
}
