import type { Clock } from '../../domain/shared/clock.ts';
import { unauthenticated } from '../../domain/shared/errors.ts';
import type { KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Revisions } from '../../warehouse/engine/cache/revisions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { keyIdOf, matches } from './api-key.ts';
import { createKeyLookup } from './key-lookup.ts';
import type { SentKey } from './sent-key.ts';

/** Returns the check of a key's secret. It returns the key's holder, or throws a 401. */
export function createKeyCheck(
  warehouse: Warehouse,
  clock: Clock,
): (sent: SentKey, revisions: Revisions) => Promise<KeyHolder> {
  const lookUp = createKeyLookup(warehouse);
  return async ({ from, secret }, revisions) => {
    const keyId = keyIdOf(secret);
    const holder = keyId === null ? null : await lookUp(keyId, revisions);
    if (holder === null || !matches(secret, holder.secretHash))
      throw unauthenticated(`${from}: this API key is not valid`);
    return validNow(holder, from, clock.now());
  };
}

/** Returns the holder of a key. Throws a 401 if the key was revoked or has expired. The message starts with `from`. */
export function validNow(holder: KeyHolder, from: string, now: Date): KeyHolder {
  if (holder.revoked) throw unauthenticated(`${from}: this API key was revoked`);
  const { expires_at } = holder.key;
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime())
    throw unauthenticated(`${from}: this API key expired at ${expires_at}`);
  return holder;
}
