import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MASTER_KEY_BYTES } from '../../security/sealing.ts';
import { secretFile } from './secret-file.ts';

/** Parses a master key, base64 of 32 bytes. Returns null for any other text. */
export const parseMasterKey = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && bytes.length === MASTER_KEY_BYTES ? bytes : null;
};

/** The file of the master key if `MASTER_KEY` is not set. A DuckLake has none, because it requires the setting. */
const masterKeyFile = (dataDir: string): string => join(dataDir, 'master.key');

/** Returns the key for all sealed secrets (design §5): the given one, or else its file's, which the first start creates. */
export const masterKey = async (given: Buffer | null, dataDir: string): Promise<Buffer> => {
  if (given !== null) return given;
  const file = masterKeyFile(dataDir);
  const key = parseMasterKey(await secretFile(file, () => randomBytes(MASTER_KEY_BYTES).toString('base64')));
  if (key === null) throw new Error(`${file}: expected base64 of ${MASTER_KEY_BYTES} bytes`);
  return key;
};

/** Returns the same without making one; null if no key exists yet, or its file cannot be read. */
export const knownMasterKey = async (given: Buffer | null, dataDir: string): Promise<Buffer | null> => {
  const text = await readFile(masterKeyFile(dataDir), 'utf8').catch(() => null);
  return given ?? (text === null ? null : parseMasterKey(text.trim()));
};
