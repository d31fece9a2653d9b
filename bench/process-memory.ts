import { readFile } from 'node:fs/promises';

const BYTES_PER_KIB = 1024;

/** The memory that a process holds now, in bytes (VmRSS; Linux only). */
export const bytesNow = (pid: number): Promise<number> => bytesOf(pid, 'VmRSS');

/** The most memory that a process has held so far, in bytes (VmHWM; Linux only). */
export const bytesPeak = (pid: number): Promise<number> => bytesOf(pid, 'VmHWM');

const bytesOf = async (pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Number(kib) * BYTES_PER_KIB;
};
