import { setTimeout as sleep } from 'node:timers/promises';
import { resolve } from 'node:path';
import { backupRecord } from '../api/operator/backups.ts';
import { call, type ServiceAccess } from './service-client.ts';

const POLL_MS = 500;

/** `backup --to DIR`: lets the running service copy its data into a new folder, and waits for it (contract §4). */
export const backup = async (
  access: ServiceAccess,
  folder: string,
  say: (text: string) => void,
): Promise<void> => {
  const to = resolve(folder);
  let state = await call(access, backupRecord, { method: 'POST', path: '/operator/backups', body: { to } });
  while (state.status === 'running') {
    await sleep(POLL_MS);
    const newest = await call(access, backupRecord.nullable(), { method: 'GET', path: '/operator/backups' });
    if (newest?.to !== to) throw new Error('the service was restarted, so that the backup is not complete');
    state = newest;
  }
  if (state.status === 'failed') throw new Error(`the backup failed: ${String(state.error)}`);
  say(
    `${state.rows ?? 0} rows as of ${state.taken_at}, ${state.bytes ?? 0} bytes, copied to ${to} and compared.`,
  );
  say(
    'The master key is not in it. Keep it in another place: without it, sealed revenue and credentials stay closed.',
  );
};
