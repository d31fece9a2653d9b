import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { backupRecord } from '../api/operator/backups.ts';
import { checkLakeCopy, dumpIn, filesIn } from '../warehouse/engine/backup/lake-copy.ts';
import { isThere } from '../warehouse/engine/is-there.ts';
import { MANIFEST, sha256Of, totalRows, writeManifest } from '../warehouse/engine/backup/manifest.ts';
import { call, type ServiceAccess } from './service-client.ts';
import { again, copyCommands, type LakePlace } from './backup/lake-commands.ts';

const POLL_MS = 500;

/**
 * `backup --to DIR`: lets the running service copy its data into a new folder, and waits for it. If the data is a DuckLake, says
 * how to copy it. If the folder has that copy, checks the copy and makes it a backup (contract §4).
 */
export const backup = async (
  access: ServiceAccess,
  folder: string,
  say: (text: string) => void,
): Promise<void> => {
  const to = resolve(folder);
  if (await isThere(dumpIn(to))) await complete(access, to, say);
  else {
    const { lake, bytes, rows, taken_at: takenAt } = await run(access, { to });
    if (lake === null)
      say(`${rows ?? 0} rows as of ${takenAt}, ${bytes ?? 0} bytes, copied to ${to} and compared.`);
    else {
      say(`All ${lake.files} files of the DuckLake are in ${lake.data_path}, ${bytes ?? 0} bytes.`);
      await explain(lake, to, say);
    }
  }
  say(
    'The master key is not in it. Keep it in another place: without it, sealed revenue and credentials stay closed.',
  );
};

/** Says how to copy a DuckLake to a folder, and makes the folder, which only its owner can access. */
const explain = async (lake: LakePlace, to: string, say: (text: string) => void): Promise<void> => {
  await mkdir(filesIn(to), { recursive: true });
  say('Copy its catalog first, and then its files. Both together may take up to seven days:');
  for (const command of copyCommands(lake, to)) say(`  ${command}`);
  say('Then check the copy, which makes it a backup:');
  say(`  ${again('backup --to', to)}`);
};

/** Checks the copy of a DuckLake, asks the service what its snapshot has, and makes the copy a backup. */
const complete = async (access: ServiceAccess, to: string, say: (text: string) => void): Promise<void> => {
  if (await isThere(join(to, MANIFEST))) throw new Error(`${to} is a complete backup: choose another folder`);
  const { snapshot, files, bytes } = await checkLakeCopy(to);
  const { contents } = await run(access, { to, snapshot });
  if (contents === null) throw new Error(`the service has not returned what snapshot ${snapshot} has`);
  const sha256 = await sha256Of(dumpIn(to));
  await writeManifest(to, { format: 1, ...contents, bytes, sha256, lake: { snapshot, files } });
  say(
    `${totalRows(contents)} rows as of ${contents.taken_at}, ${files} files, ${bytes} bytes: the copy in ${to} is complete.`,
  );
};

/** Starts a backup, and waits for it. */
const run = async (
  access: ServiceAccess,
  body: { to: string; snapshot?: number },
): Promise<z.infer<typeof backupRecord>> => {
  let state = await call(access, backupRecord, { method: 'POST', path: '/operator/backups', body });
  while (state.status === 'running') {
    await sleep(POLL_MS);
    const newest = await call(access, backupRecord.nullable(), { method: 'GET', path: '/operator/backups' });
    if (newest?.to !== body.to)
      throw new Error('the service was restarted, so that the backup is not complete');
    state = newest;
  }
  if (state.status === 'failed') throw new Error(`the backup failed: ${String(state.error)}`);
  return state;
};
