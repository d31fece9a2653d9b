import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';

/** Returns the secret in a file. The first start creates the file with `make`, readable by its owner only. */
export async function secretFile(file: string, make: () => string): Promise<string> {
  await makeFolder(dirname(file));
  const temporary = `${file}.${process.pid}`;
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(`${make()}\n`);
  await handle.sync();
  await handle.close();
  try {
    // A link is atomic, and never replaces an existing secret.
    await link(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}
