import { open, rm } from 'node:fs/promises';

const PROBE_BYTES = Buffer.alloc(4096, 1);

/** Writes, syncs and removes a small file. If a killed process leaves it, the next probe overwrites and removes it. */
export async function writeProbe(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(PROBE_BYTES);
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
