import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MASTER_KEY_BYTES } from '../../security/sealing.ts';
import { secretFile } from './secret-file.ts';

/** The key that seals, and the one that opens what was sealed before it. */
export interface MasterKeys {
  current: Buffer;
  previous: Buffer | null;
}

/** The settings that name the keys. */
interface KeySettings {
  MASTER_KEY: Buffer | null;
  MASTER_KEY_PREVIOUS: Buffer | null;
  dataDir: string;
}

/** Parses a master key, base64 of 32 bytes. Returns null for any other text. */
export function parseMasterKey(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && bytes.length === MASTER_KEY_BYTES ? bytes : null;
}

/** The file of the master key if `MASTER_KEY` is not set. A DuckLake has none, because it requires the setting. */
export const masterKeyFile = (dataDir: string): string => join(dataDir, 'master.key');

/** The file of the new key while a rotation of the key in {@link masterKeyFile} is under way. */
export const nextKeyFile = (dataDir: string): string => `${masterKeyFile(dataDir)}.next`;

/** Returns the key in a file; null without the file. Throws if the file has no key. */
export async function keyIn(file: string): Promise<Buffer | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  const key = text === null ? null : parseMasterKey(text.trim());
  if (text !== null && key === null) throw new Error(`${file}: expected base64 of ${MASTER_KEY_BYTES} bytes`);
  return key;
}

/**
 * Returns the keys of the settings, or else of the files; null if there is none yet. Both files exist only while a rotation is
 * under way. Then the new key seals, and the old one still opens.
 */
export async function knownMasterKeys({
  MASTER_KEY: given,
  MASTER_KEY_PREVIOUS: previous,
  dataDir,
}: KeySettings): Promise<MasterKeys | null> {
  if (given !== null) return { current: given, previous };
  const stored = await keyIn(masterKeyFile(dataDir));
  const next = await keyIn(nextKeyFile(dataDir));
  if (next !== null) return { current: next, previous: previous ?? stored };
  return stored === null ? null : { current: stored, previous };
}

/** Makes the file of the master key. Call it only if nothing is sealed, because a new key opens nothing. */
export async function makeMasterKey(dataDir: string): Promise<void> {
  await secretFile(masterKeyFile(dataDir), () => randomBytes(MASTER_KEY_BYTES).toString('base64'));
}
