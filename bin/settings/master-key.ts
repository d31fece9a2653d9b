import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MASTER_KEY_BYTES } from '../../security/sealing.ts';
import { secretFile } from './secret-file.ts';

/** A master key from its text: base64 of 32 bytes; null when it is anything else. */
export const parseMasterKey = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && bytes.length === MASTER_KEY_BYTES ? bytes : null;
};

/** Where the master key lies when `MASTER_KEY` does not give one; only beside a warehouse of this machine's own. */
const masterKeyFile = (dataDir: string): string => join(dataDir, 'master.key');

/** The key that everything sealed is sealed with (design §5): as given, else from its file, made at the first start. */
export const masterKey = async (given: Buffer | null, dataDir: string): Promise<Buffer> => {
  if (given !== null) return given;
  const file = masterKeyFile(dataDir);
  const key = parseMasterKey(await secretFile(file, () => randomBytes(MASTER_KEY_BYTES).toString('base64')));
  if (key === null) throw new Error(`${file}: expected base64 of ${MASTER_KEY_BYTES} bytes`);
  return key;
};
