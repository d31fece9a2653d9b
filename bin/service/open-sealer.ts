import type { Logger } from 'pino';
import type { ApiDependencies } from '../../api/http/dependencies.ts';
import { Sealer } from '../../security/sealing.ts';
import { sealedByKeys } from '../../warehouse/engine/records/sealed-texts.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { keyFinding } from '../settings/key-finding.ts';
import { knownMasterKeys, makeMasterKey } from '../settings/master-key.ts';
import { rotatedKeyFile } from '../settings/rotated-key-file.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Returns what seals and opens secrets in this process, and what ends a rotation of the key. Makes a master key only if nothing is
 * sealed. Throws if the master keys open nothing of what is sealed. If they open only a part of it, logs a warning and continues.
 */
export async function openSealer(
  warehouse: Warehouse,
  settings: Settings,
  log: Pick<Logger, 'warn'>,
): Promise<Pick<ApiDependencies, 'sealer' | 'writeKeyFile'>> {
  const { dataDir } = settings;
  const sealed = await sealedByKeys(warehouse);
  if ((await knownMasterKeys(settings)) === null) {
    if (sealed.length > 0) throw new Error(`MASTER_KEY: ${keyFinding(sealed, null, dataDir).text}`);
    await makeMasterKey(dataDir);
  }
  const keys = await knownMasterKeys(settings);
  if (keys === null) throw new Error(`MASTER_KEY: the key in ${dataDir} disappeared during the start`);
  const sealer = new Sealer(keys.current, keys.previous);
  const { state, text } = keyFinding(sealed, sealer, dataDir);
  if (state === 'unreadable') throw new Error(`MASTER_KEY: ${text}`);
  if (state === 'partly_unreadable') log.warn(`MASTER_KEY: ${text}`);
  const file = rotatedKeyFile(dataDir, keys);
  await file.begin();
  return { sealer, writeKeyFile: file.finish };
}
