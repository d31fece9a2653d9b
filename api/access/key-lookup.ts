import { dayOf } from '../../domain/shared/calendar.ts';
import { shareNextRun } from '../../domain/shared/share-next-run.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import { findKeyHolders, type KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/**
 * Returns a look-up of keys that caches nothing, so that a revocation takes effect at once on every node (spec §5 rule 4).
 * Requests that arrive during a statement share the next one. A look-up always starts after its request, and many requests
 * cost one statement.
 */
export const createKeyLookup = (
  warehouse: Warehouse,
  clock: Clock,
): ((keyId: string) => Promise<KeyHolder | null>) => {
  const findShared = shareNextRun((ids: readonly string[]) =>
    findKeyHolders(warehouse, [...new Set(ids)], dayOf(clock.now())),
  );
  return async (keyId) => (await findShared(keyId)).get(keyId) ?? null;
};
