import { rotation } from '../api/operator/master-key.ts';
import { call, type ServiceAccess } from './service-client.ts';

/**
 * `rotate-master-key`: seals everything anew with MASTER_KEY that MASTER_KEY_PREVIOUS has sealed, step by step. If it is
 * interrupted, the next run continues. Returns whether all texts can be opened with MASTER_KEY alone.
 */
export async function rotateMasterKey(access: ServiceAccess, say: (text: string) => void): Promise<boolean> {
  let resealed = 0;
  for (;;) {
    const step = await call(access, rotation, { method: 'POST', path: '/operator/master-key/rotate' });
    resealed += step.resealed;
    if (step.resealed > 0) say(`${resealed} sealed anew, ${step.remaining} to go`);
    if (step.key_file !== null)
      say(
        `${step.key_file} has the new key now, and ${step.old_key_file ?? ''} the old one, for backups made before.`,
      );
    if (step.unreadable > 0) {
      say(
        `${step.unreadable} sealed texts open with neither MASTER_KEY nor MASTER_KEY_PREVIOUS: restart the service with the key that sealed them as MASTER_KEY_PREVIOUS, and run this again`,
      );
      return false;
    }
    if (step.remaining === 0) break;
    if (step.resealed === 0)
      throw new Error('the service seals nothing anew: is its MASTER_KEY the new key?');
  }
  say('Everything is sealed with MASTER_KEY. Remove MASTER_KEY_PREVIOUS and restart; the old key can go.');
  return true;
}
