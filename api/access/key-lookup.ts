import { dayOf } from '../../domain/shared/calendar.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import { findKeyHolders, type KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/**
 * Looks up keys without any memory of earlier answers, so that a revocation counts at once on every node
 * (spec §5 rule 4). Requests that arrive while a statement runs share the next one: a lookup always starts
 * after the request did, and many requests cost one statement.
 */
export const createKeyLookup = (
  warehouse: Warehouse,
  clock: Clock,
): ((keyId: string) => Promise<KeyHolder | null>) => {
  let running: Promise<unknown> | null = null;
  let waiting: { ids: Set<string>; answer: Promise<Map<string, KeyHolder>> } | null = null;

  const start = (ids: Set<string>): Promise<Map<string, KeyHolder>> => {
    const answer = findKeyHolders(warehouse, [...ids], dayOf(clock.now()));
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    running = settled;
    void settled.then(() => {
      if (running === settled) running = null;
    });
    return answer;
  };

  return async (keyId) => {
    if (running === null) return (await start(new Set([keyId]))).get(keyId) ?? null;
    if (waiting === null) {
      const ids = new Set<string>();
      const answer = running.then(() => {
        waiting = null;
        return start(ids);
      });
      waiting = { ids, answer };
    }
    waiting.ids.add(keyId);
    return (await waiting.answer).get(keyId) ?? null;
  };
};
