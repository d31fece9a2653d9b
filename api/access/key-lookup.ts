import { LRUCache } from 'lru-cache';
import { shareNextRun } from '../../domain/shared/share-next-run.ts';
import { findKeyHolders, type KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Derived } from '../../warehouse/engine/cache/derived-cache.ts';
import type { Revisions } from '../../warehouse/engine/cache/revisions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/** Most keys whose organisation this process remembers. */
const MOST_KEYS = 10_000;

const HOLDER: Derived<KeyHolder | null> = {
  name: 'holder of a key',
  from: ['api_keys', 'api_key_revocations', 'organisation_versions'],
  bytesOf: () => 1_000,
};

/**
 * Returns a look-up of keys. It caches a holder until a key or the organisation changes. So a revocation takes effect at once on
 * every node (docs/http.md#manage-keys). Requests that arrive during a statement share the next one.
 */
export function createKeyLookup(
  warehouse: Warehouse,
): (keyId: string, revisions: Revisions) => Promise<KeyHolder | null> {
  const findShared = shareNextRun((ids: readonly string[]) => findKeyHolders(warehouse, [...new Set(ids)]));
  const find = async (keyId: string): Promise<KeyHolder | null> =>
    (await findShared(keyId)).get(keyId) ?? null;
  // A key never moves to another organisation.
  const organisations = new LRUCache<string, string>({ max: MOST_KEYS });
  const findFirst = async (keyId: string): Promise<KeyHolder | null> => {
    const holder = await find(keyId);
    if (holder !== null) organisations.set(keyId, holder.organisation.id);
    return holder;
  };
  return (keyId, revisions) => {
    const orgId = organisations.get(keyId);
    return orgId === undefined
      ? findFirst(keyId)
      : warehouse.cache.cached(revisions, HOLDER, orgId, keyId, () => find(keyId));
  };
}
