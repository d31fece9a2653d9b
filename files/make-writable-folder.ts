import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { usePath } from './unusable-path.ts';

/** If a killed process leaves it, the next probe overwrites and removes it. */
const PROBE = '.write-check';
const PROBE_BYTES = Buffer.alloc(4096, 1);

/** Makes a folder unless it exists, and looks whether files can be written to it. Throws `UnusablePath` if not. */
export const makeWritableFolder = async (folder: string): Promise<void> => {
  await makeFolder(folder);
  const path = join(folder, PROBE);
  await usePath(folder, 'a folder that files can be written to', async () => {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(PROBE_BYTES);
      await file.sync();
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  });
};
