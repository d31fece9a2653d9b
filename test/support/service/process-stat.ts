import { readdir, readFile } from 'node:fs/promises';

/** What the kernel reports about a process. Reads /proc, because a fresh machine may lack `ps`. */
export interface ProcessStat {
  /** One letter, such as `Z` for a zombie. */
  state: string;
  parent: number;
  group: number;
}

/** Returns the state of a process, or null if there is no such process. */
export async function statOf(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name before these fields is in brackets, and may hold any character.
  const [state = '', parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent), group: Number(group) };
}

/** Returns the ids of the child processes of a process whose command line has the text. */
export async function childrenOf(parent: number, text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)) {
    if ((await statOf(pid))?.parent !== parent) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(text)) found.push(pid);
  }
  return found;
}
