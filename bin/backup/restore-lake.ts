import { resolve } from 'node:path';
import { checkLakeCopy, dumpIn } from '../../warehouse/engine/backup/lake-copy.ts';
import { countRows, newestSnapshot, readLake } from '../../warehouse/engine/backup/lake-at.ts';
import { checkLakeFiles } from '../../warehouse/engine/backup/lake-files.ts';
import { sha256Of, totalRows, type BackupManifest } from '../../warehouse/engine/backup/manifest.ts';
import { hasCatalog, setDataPath } from '../../warehouse/engine/backup/restored-catalog.ts';
import { withoutSecrets } from '../../warehouse/engine/locks/catalog-url.ts';
import { postgresCatalog } from '../../warehouse/engine/location.ts';
import { withWarehouseSettings } from '../service/warehouse-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { again, restoreCommands } from './lake-commands.ts';

/** The manifest of a DuckLake's backup. */
type LakeBackup = BackupManifest & { lake: NonNullable<BackupManifest['lake']> };

/**
 * If the database has no catalog, says how to restore the backup of a DuckLake. If it has, looks whether it is the backup's, with
 * all rows and files. Then makes it look for its files in WAREHOUSE_DATA. Refuses any other catalog, and a copy that was changed.
 */
export async function restoreLake(
  settings: Settings,
  folder: string,
  backup: LakeBackup,
  say: (text: string) => void,
): Promise<void> {
  const catalog = postgresCatalog(settings.warehouse);
  const { WAREHOUSE_DATA: dataPath } = settings;
  if (catalog === null || dataPath === null)
    throw new Error('expected WAREHOUSE to be ducklake:postgres:…, and WAREHOUSE_DATA to be set');
  await checkCopy(folder, backup);
  if (!(await hasCatalog(catalog))) {
    const place = {
      catalog: withoutSecrets(catalog),
      data_path: dataPath,
      endpoint: settings.AWS_ENDPOINT_URL_S3,
    };
    say(`The copy in ${folder} is complete. Make the database, unless it exists, and bring the copy there:`);
    for (const command of restoreCommands(place, resolve(folder))) say(`  ${command}`);
    say('Then check the result, before you start the service:');
    say(`  ${again('restore --from', resolve(folder))}`);
    return;
  }
  await checkRestored(settings, dataPath, backup);
  await setDataPath(catalog, dataPath);
  say(
    `${totalRows(backup)} rows as of ${backup.taken_at}, ${backup.lake.files} files: the DuckLake is complete.`,
  );
  say('Start the service: it makes the schedules and the open workflows anew.');
}

async function checkCopy(folder: string, { sha256 }: LakeBackup): Promise<void> {
  const dump = dumpIn(folder);
  if ((await sha256Of(dump)) !== sha256)
    throw new Error(`${dump} was changed after the backup: its SHA-256 differs`);
  await checkLakeCopy(folder);
}

/** Compares the restored DuckLake with its backup. Its catalog may still name another data path. */
const checkRestored = (settings: Settings, dataPath: string, { lake, rows }: LakeBackup): Promise<void> =>
  withWarehouseSettings(settings, (warehouse) =>
    readLake(warehouse, ['OVERRIDE_DATA_PATH true'], async (session) => {
      const snapshot = await newestSnapshot(session);
      if (snapshot !== lake.snapshot)
        throw new Error(
          `WAREHOUSE has a DuckLake with snapshot ${snapshot}, the backup ends with ${lake.snapshot}: restore it into an empty database`,
        );
      await checkLakeFiles(session, dataPath);
      const found = await countRows(session);
      for (const [table, count] of Object.entries(rows))
        if (found[table] !== count)
          throw new Error(`${table} has ${found[table] ?? 'no'} rows, the backup has ${count}`);
    }),
  );
