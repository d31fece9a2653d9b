import { masterKeyId } from '../security/sealing.ts';
import { readManifest, type BackupManifest } from '../warehouse/engine/backup/manifest.ts';
import { isDuckLake } from '../warehouse/engine/location.ts';
import { BASELINE } from '../warehouse/engine/migrations/032-baseline.ts';
import { NEWEST_VERSION } from '../warehouse/engine/migrations/migrations.ts';
import { BEGIN_ANEW } from '../warehouse/engine/migrations/schema-version.ts';
import { knownMasterKeys } from './settings/master-key.ts';
import type { Settings } from './settings/settings.ts';
import { restoreFile } from './backup/restore-file.ts';
import { restoreLake } from './backup/restore-lake.ts';

/**
 * `restore --from DIR`: makes a backup the data of a service that has none (docs/operation.md#restore). Refuses a backup that this
 * version cannot open, and one of whose sealed texts the master keys open none. The next start upgrades older data, and makes
 * schedules and open workflows anew.
 */
export async function restore(
  settings: Settings,
  folder: string,
  say: (text: string) => void,
): Promise<void> {
  const backup = await readManifest(folder);
  refuseOtherVersions(backup);
  await refuseOtherKeys(settings, backup, say);
  const { lake } = backup;
  if (isDuckLake(settings.warehouse) !== (lake !== undefined))
    throw new Error(
      lake === undefined
        ? `${folder} is the backup of a DuckDB file: unset WAREHOUSE, which is a DuckLake`
        : `${folder} is the backup of a DuckLake: set WAREHOUSE and WAREHOUSE_DATA to where it shall be`,
    );
  if (lake === undefined) await restoreFile(settings, folder, backup, say);
  else await restoreLake(settings, folder, { ...backup, lake }, say);
}

function refuseOtherVersions({ version, schema_version: ofBackup }: BackupManifest): void {
  const made = `the backup was made by version ${version} with tables of version ${ofBackup}, and this one`;
  if (ofBackup > NEWEST_VERSION)
    throw new Error(`${made} knows ${NEWEST_VERSION}: install that version, or a newer one`);
  if (ofBackup < BASELINE.version)
    throw new Error(`${made} upgrades version ${BASELINE.version} and later: ${BEGIN_ANEW}`);
}

/** Throws if the master keys open nothing of what is sealed, as a start does. Says which keys are missing otherwise. */
async function refuseOtherKeys(
  settings: Settings,
  { master_keys: needed }: BackupManifest,
  say: (text: string) => void,
): Promise<void> {
  const keys = await knownMasterKeys(settings);
  const known = keys === null ? [] : [keys.current, keys.previous].map((key) => key && masterKeyId(key));
  const missing = needed.filter((id) => !known.includes(id));
  if (missing.length === 0) return;
  const sealed = `the backup has texts that the master key ${missing.join(' and ')} has sealed`;
  if (missing.length === needed.length)
    throw new Error(`${sealed}: set MASTER_KEY, or put master.key into ${settings.dataDir}`);
  say(`Note: ${sealed}. They stay closed without it: set MASTER_KEY_PREVIOUS to it before the start.`);
}
