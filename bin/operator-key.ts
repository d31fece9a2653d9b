import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the operator key lies when `OPERATOR_KEY` does not give one. */
export const operatorKeyFile = (dataDir: string): string => join(dataDir, 'operator.key');

/** The operator key: as given, else from its file, which is made at the first start, readable by its owner only. */
export const operatorKey = async (given: string | null, dataDir: string): Promise<string> => {
  if (given !== null) return given;
  const file = operatorKeyFile(dataDir);
  await mkdir(dataDir, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`);
  await handle.sync();
  await handle.close();
  try {
    // A link is made whole or not at all, and never over a key that is there.
    await link(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
};
