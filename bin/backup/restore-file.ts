import { constants } from 'node:fs';
import { copyFile, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { requireRegularFile } from '../../files/require-regular-file.ts';
import { usePath } from '../../files/unusable-path.ts';
import { BACKUP_FILE } from '../../warehouse/engine/backup/back-up.ts';
import { isThere } from '../../warehouse/engine/is-there.ts';
import { sha256Of, totalRows, type BackupManifest } from '../../warehouse/engine/backup/manifest.ts';
import type { Settings } from '../settings/settings.ts';

/** What a data directory may have before a restore: keys, which a backup never has. */
const KEYS = /^(operator\.key|master\.key(\.\w+)?)$/;

/** Copies the DuckDB file of a backup. Refuses a data directory that has data, and a file that was changed after the backup. */
export async function restoreFile(
  { dataDir, warehouse }: Settings,
  folder: string,
  backup: BackupManifest,
  say: (text: string) => void,
): Promise<void> {
  const stored = (await readdir(dataDir).catch(() => [])).filter((name) => !KEYS.test(name));
  const found = stored[0] ?? ((await isThere(warehouse)) ? warehouse : undefined);
  if (found !== undefined)
    throw new Error(
      `expected a data directory without data, got ${resolve(dataDir, found)}: choose another DATA_DIR`,
    );
  await makeFolder(dirname(warehouse));
  const temporary = `${warehouse}.restored`;
  try {
    const copy = join(folder, BACKUP_FILE);
    await requireRegularFile(copy);
    await usePath(temporary, 'a file that can be written', () =>
      copyFile(copy, temporary, constants.COPYFILE_FICLONE),
    );
    if ((await sha256Of(temporary)) !== backup.sha256)
      throw new Error(`${copy} was changed after the backup: its SHA-256 differs`);
    const handle = await open(temporary, 'r+');
    await handle.chmod(0o600);
    await handle.sync();
    await handle.close();
    await rename(temporary, warehouse);
  } finally {
    await rm(temporary, { force: true });
  }
  say(`${totalRows(backup)} rows as of ${backup.taken_at} are restored to ${warehouse}.`);
  say('Start the service: it makes the schedules and the open workflows anew.');
}
