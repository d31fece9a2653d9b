import { constants } from 'node:fs';
import { access, copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { Sealer } from '../security/sealing.ts';
import { BACKUP_FILE, BACKUP_MANIFEST, sha256Of } from '../warehouse/engine/backup/back-up.ts';
import { isDuckLake } from '../warehouse/engine/location.ts';
import { MIGRATIONS } from '../warehouse/engine/migrations/migrations.ts';
import { knownMasterKey } from './settings/master-key.ts';
import type { Settings } from './settings/settings.ts';

const manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  schema_version: z.number(),
  taken_at: z.string(),
  sha256: z.string(),
  rows: z.record(z.string(), z.number()),
  master_keys: z.array(z.string()),
});

/** What a data directory may have before a restore: keys, which a backup never has. */
const KEYS: ReadonlySet<string> = new Set(['master.key', 'operator.key']);

/**
 * `restore --from DIR`: makes a backup the data of a service that has none (contract §4). Refuses a data directory that has any,
 * a backup that was changed or is newer than this version, and one whose sealed texts the master key does not open. The next start
 * makes schedules and open workflows anew.
 */
export const restore = async (
  settings: Settings,
  folder: string,
  say: (text: string) => void,
): Promise<void> => {
  const { dataDir, warehouse } = settings;
  if (isDuckLake(warehouse))
    throw new Error(
      'WAREHOUSE is a DuckLake: restore its catalog in Postgres and its files; see docs/operation.md',
    );
  const backup = await manifestOf(folder);
  const newest = Math.max(...MIGRATIONS.map(({ version }) => version));
  if (backup.schema_version > newest)
    throw new Error(
      `the backup was made by version ${backup.version} with tables of version ${backup.schema_version}, and this one knows ${newest}: install that version, or a newer one`,
    );
  await refuseOtherKeys(settings, backup.master_keys);
  const stored = (await readdir(dataDir).catch(() => [])).filter((name) => !KEYS.has(name));
  const found = stored[0] ?? ((await exists(warehouse)) ? warehouse : undefined);
  if (found !== undefined)
    throw new Error(
      `expected a data directory without data, got ${resolve(dataDir, found)}: choose another DATA_DIR`,
    );
  await mkdir(dirname(warehouse), { recursive: true });
  const temporary = `${warehouse}.restored`;
  try {
    await copyFile(join(folder, BACKUP_FILE), temporary, constants.COPYFILE_FICLONE);
    if ((await sha256Of(temporary)) !== backup.sha256)
      throw new Error(`${join(folder, BACKUP_FILE)} was changed after the backup: its SHA-256 differs`);
    const handle = await open(temporary, 'r+');
    await handle.chmod(0o600);
    await handle.sync();
    await handle.close();
    await rename(temporary, warehouse);
  } finally {
    await rm(temporary, { force: true });
  }
  const rows = Object.values(backup.rows).reduce((sum, count) => sum + count, 0);
  say(`${rows} rows as of ${backup.taken_at} are restored to ${warehouse}.`);
  say('Start the service: it makes the schedules and the open workflows anew.');
};

const manifestOf = async (folder: string): Promise<z.infer<typeof manifest>> => {
  const file = join(folder, BACKUP_MANIFEST);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`${folder} is not a complete backup: it has no ${BACKUP_MANIFEST}`, { cause });
  });
  const parsed = manifest.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${file}: expected the manifest of a backup`, { cause: parsed.error });
  return parsed.data;
};

const refuseOtherKeys = async (settings: Settings, needed: readonly string[]): Promise<void> => {
  if (needed.length === 0) return;
  const key = await knownMasterKey(settings.MASTER_KEY, settings.dataDir);
  const known = key === null ? [] : new Sealer(key, settings.MASTER_KEY_PREVIOUS).keyIds;
  const missing = needed.filter((id) => !known.includes(id));
  if (missing.length > 0)
    throw new Error(
      `the backup has texts that the master key ${missing.join(' and ')} has sealed: set MASTER_KEY, or put master.key into ${settings.dataDir}`,
    );
};

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
