import { readFile } from 'node:fs/promises';

const BYTES_PER_KIB = 1024;

/** Returns the current memory of a process in bytes (VmRSS; Linux only). */
const bytesNow = (pid: number): Promise<number> => bytesOf(pid, 'VmRSS');

/** Returns the peak memory of a process in bytes (VmHWM; Linux only). */
export const bytesPeak = (pid: number): Promise<number> => bytesOf(pid, 'VmHWM');

/** Returns the current memory of a service and of its reader processes, in bytes. */
export async function bytesWithReaders(pid: number): Promise<number> {
  const held = await Promise.all(
    [pid, ...(await readersOf(pid))].map((each) => bytesNow(each).catch(() => 0)),
  );
  return held.reduce((sum, bytes) => sum + bytes, 0);
}

async function readersOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const readers = [];
  for (const child of children.split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('reader-process')) readers.push(Number(child));
  }
  return readers;
}

async function bytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Number(kib) * BYTES_PER_KIB;
}
