import { readFile } from 'node:fs/promises';

const BYTES_PER_KIB = 1024;

/** The most memory that a process has held so far, in bytes (VmHWM; Linux only). */
export const bytesPeak = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  if (peak === undefined) throw new Error(`/proc/${pid}/status has no VmHWM`);
  return Number(peak) * BYTES_PER_KIB;
};
