import { open } from 'node:fs/promises';

const MAX_BYTES = 16_384;

/** The last `lines` lines of the part of a text file from byte `from` on; empty if it cannot be read. */
export async function logTail(path: string, from: number, lines = 15): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const start = Math.max(from, size - MAX_BYTES);
      const { buffer, bytesRead } = await file.read({
        buffer: Buffer.alloc(Math.max(size - start, 1)),
        position: start,
      });
      return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
