import { link, open, rename } from 'node:fs/promises';
import type { ApiDependencies } from '../../api/http/dependencies.ts';
import { masterKeyId } from '../../security/sealing.ts';
import { keyIn, masterKeyFile, nextKeyFile, type MasterKeys } from './master-key.ts';
import { secretFile } from './secret-file.ts';

/**
 * Returns what a rotation does to `master.key`, if the old key comes from there. `begin` puts the new key into `master.key.next`,
 * before anything is sealed with it. `finish` replaces `master.key` in one step, once the new key opens everything. The old key stays
 * as `master.key.<its id>`, for backups made before. No step removes a key, so that a killed rotation can be repeated, and the files
 * alone open everything at any time.
 */
export function rotatedKeyFile(
  dataDir: string,
  { current, previous }: MasterKeys,
): { begin: () => Promise<void>; finish: ApiDependencies['writeKeyFile'] } {
  const [file, next] = [masterKeyFile(dataDir), nextKeyFile(dataDir)];
  const keptAs = (key: Buffer): string => `${file}.${masterKeyId(key)}`;
  const holdsOldKey = async (): Promise<boolean> =>
    previous !== null && !previous.equals(current) && (await keyIn(file))?.equals(previous) === true;

  const begin = async (): Promise<void> => {
    if (!(await holdsOldKey())) return;
    const waiting = await keyIn(next);
    if (waiting?.equals(current) === true) return;
    // The new key of a rotation that was given up has sealed texts, too.
    if (waiting !== null) await rename(next, keptAs(waiting));
    await secretFile(next, () => current.toString('base64'));
    await syncFolder(dataDir);
  };

  return {
    begin,
    finish: async () => {
      if (previous === null || !(await holdsOldKey())) return null;
      await begin();
      const old = keptAs(previous);
      await link(file, old).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      });
      await rename(next, file);
      await syncFolder(dataDir);
      return { key_file: file, old_key_file: old };
    },
  };
}

/** Makes the names of files in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
