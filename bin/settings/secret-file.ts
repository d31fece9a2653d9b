import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The secret that a file holds; made at the first start by `make`, readable by its owner only. */
export const secretFile = async (file: string, make: () => string): Promise<string> => {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(`${make()}\n`);
  await handle.sync();
  await handle.close();
  try {
    // A link is made whole or not at all, and never over a secret that is there.
    await link(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
};
