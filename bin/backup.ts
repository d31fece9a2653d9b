import { setTimeout as sleep } from 'node:timers/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { makeFolder } from '../files/make-folder.ts';
import { backupRecord } from '../api/operator/backups.ts';
import { newCopyName, removeOldCopies } from '../warehouse/engine/backup/kept-copies.ts';
import { checkLakeCopy, dumpIn, filesIn } from '../warehouse/engine/backup/lake-copy.ts';
import { isThere } from '../warehouse/engine/is-there.ts';
import { MANIFEST, sha256Of, totalRows, writeManifest } from '../warehouse/engine/backup/manifest.ts';
import { call, type ServiceAccess } from './service-client.ts';
import { again, copyCommands, type LakePlace } from './backup/lake-commands.ts';

const POLL_MS = 500;

/** Where a backup goes, and how many dated copies stay there; null makes one copy, which is the folder itself. */
interface BackupTarget {
  to: string;
  keep: number | null;
}

/**
 * `backup --to DIR`: lets the running service copy its data into a new folder, and waits for it. If the data is a DuckLake, prints
 * how to copy it. If the folder has that copy, checks the copy and makes it a backup (docs/operation.md#backup).
 */
export async function backup(
  access: ServiceAccess,
  target: BackupTarget,
  say: (text: string) => void,
): Promise<void> {
  const to = resolve(target.to);
  const { keep } = target;
  if (await isThere(dumpIn(to))) await complete(access, { to, keep }, say);
  else {
    const done = await run(access, { to, ...(keep === null ? {} : { keep }) });
    const { lake, bytes, rows, taken_at: takenAt } = done;
    if (lake === null)
      say(`${rows ?? 0} rows as of ${takenAt}, ${bytes ?? 0} bytes, copied to ${done.to} and compared.`);
    else {
      say(`All ${lake.files} files of the DuckLake are in ${lake.data_path}, ${bytes ?? 0} bytes.`);
      const copy = keep === null ? to : join(to, await newCopyName(to, new Date(takenAt)));
      await explain(lake, { to: copy, keep }, say);
    }
  }
  say(
    'The master key is not in it. Keep it in another place: without it, sealed revenue and credentials stay closed.',
  );
}

/** Prints how to copy a DuckLake to a folder, and makes the folder, which only its owner can access. */
async function explain(
  lake: LakePlace,
  { to, keep }: BackupTarget,
  say: (text: string) => void,
): Promise<void> {
  await makeFolder(filesIn(to));
  say('Copy its catalog first, and then its files. Both together may take up to seven days:');
  for (const command of copyCommands(lake, to)) say(`  ${command}`);
  say('Then check the copy, which makes it a backup:');
  say(`  ${again('backup --to', to)}${keep === null ? '' : ` --keep ${keep}`}`);
}

/** Checks the copy of a DuckLake, asks the service what its snapshot has, and makes the copy a backup. */
async function complete(
  access: ServiceAccess,
  { to, keep }: BackupTarget,
  say: (text: string) => void,
): Promise<void> {
  if (await isThere(join(to, MANIFEST))) throw new Error(`${to} is a complete backup: choose another folder`);
  const { snapshot, files, bytes } = await checkLakeCopy(to);
  const { contents } = await run(access, { to, snapshot });
  if (contents === null) throw new Error(`the service has not returned what snapshot ${snapshot} has`);
  const sha256 = await sha256Of(dumpIn(to));
  const keptAs = keep === null ? {} : { kept_as: basename(to) };
  const manifest = { format: 1, ...contents, ...keptAs, bytes, sha256, lake: { snapshot, files } } as const;
  await writeManifest(to, manifest);
  say(
    `${totalRows(contents)} rows as of ${contents.taken_at}, ${files} files, ${bytes} bytes: the copy in ${to} is complete.`,
  );
  if (keep !== null)
    for (const name of await removeOldCopies(dirname(to), keep, manifest)) say(`${name} is removed.`);
}

/** Starts a backup, and waits for it. */
async function run(
  access: ServiceAccess,
  body: { to: string; keep?: number; snapshot?: number },
): Promise<z.infer<typeof backupRecord>> {
  let state = await call(access, backupRecord, { method: 'POST', path: '/operator/backups', body });
  while (state.status === 'running') {
    await sleep(POLL_MS);
    const newest = await call(access, backupRecord.nullable(), { method: 'GET', path: '/operator/backups' });
    if (newest?.to !== state.to)
      throw new Error('the service was restarted, so that the backup is not complete');
    state = newest;
  }
  if (state.status === 'failed') throw new Error(`the backup failed: ${String(state.error)}`);
  return state;
}
