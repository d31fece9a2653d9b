import { Sealer } from '../security/sealing.ts';
import { readManifest, type BackupManifest } from '../warehouse/engine/backup/manifest.ts';
import { isDuckLake } from '../warehouse/engine/location.ts';
import { NEWEST_VERSION } from '../warehouse/engine/migrations/migrations.ts';
import { knownMasterKey } from './settings/master-key.ts';
import type { Settings } from './settings/settings.ts';
import { restoreFile } from './backup/restore-file.ts';
import { restoreLake } from './backup/restore-lake.ts';

/**
 * `restore --from DIR`: makes a backup the data of a service that has none (contract §4). Refuses a backup of a newer version, and
 * one whose sealed texts the master key does not open. The next start upgrades older data, and makes schedules and open workflows
 * anew.
 */
export const restore = async (
  settings: Settings,
  folder: string,
  say: (text: string) => void,
): Promise<void> => {
  const backup = await readManifest(folder);
  refuseNewer(backup);
  await refuseOtherKeys(settings, backup);
  const { lake } = backup;
  if (isDuckLake(settings.warehouse) !== (lake !== undefined))
    throw new Error(
      lake === undefined
        ? `${folder} is the backup of a DuckDB file: unset WAREHOUSE, which is a DuckLake`
        : `${folder} is the backup of a DuckLake: set WAREHOUSE and WAREHOUSE_DATA to where it shall be`,
    );
  if (lake === undefined) await restoreFile(settings, folder, backup, say);
  else await restoreLake(settings, folder, { ...backup, lake }, say);
};

const refuseNewer = ({ version, schema_version: ofBackup }: BackupManifest): void => {
  if (ofBackup > NEWEST_VERSION)
    throw new Error(
      `the backup was made by version ${version} with tables of version ${ofBackup}, and this one knows ${NEWEST_VERSION}: install that version, or a newer one`,
    );
};

const refuseOtherKeys = async (
  settings: Settings,
  { master_keys: needed }: BackupManifest,
): Promise<void> => {
  if (needed.length === 0) return;
  const key = await knownMasterKey(settings.MASTER_KEY, settings.dataDir);
  const known = key === null ? [] : new Sealer(key, settings.MASTER_KEY_PREVIOUS).keyIds;
  const missing = needed.filter((id) => !known.includes(id));
  if (missing.length > 0)
    throw new Error(
      `the backup has texts that the master key ${missing.join(' and ')} has sealed: set MASTER_KEY, or put master.key into ${settings.dataDir}`,
    );
};
