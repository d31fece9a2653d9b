import type { Sealer } from './sealing.ts';

/** How many stored texts the master keys of a process open. */
export interface SealedCounts {
  /** Sealed with the current master key. */
  opened: number;
  /** Sealed with the previous one. */
  previous: number;
  /** Sealed with any other key, so that neither opens them. */
  unreadable: number;
}

/** Whether the master keys open everything that is sealed, only a part of it, or nothing. */
export type MasterKeyState = 'ok' | 'partly_unreadable' | 'unreadable';

/** Counts the stored texts by what opens them. `sealed` has the number of texts of each master key that has sealed any. */
export function countTexts(
  sealed: readonly { key_id: string; texts: number }[],
  { keyId, previousKeyId }: Pick<Sealer, 'keyId' | 'previousKeyId'>,
): SealedCounts {
  const counts = { opened: 0, previous: 0, unreadable: 0 };
  for (const { key_id, texts } of sealed)
    counts[key_id === keyId ? 'opened' : key_id === previousKeyId ? 'previous' : 'unreadable'] += texts;
  return counts;
}

/** Returns what counts mean. A process whose keys open nothing must neither start nor seal; without texts any key will do. */
export const masterKeyState = ({ opened, previous, unreadable }: SealedCounts): MasterKeyState =>
  unreadable === 0 ? 'ok' : opened + previous === 0 ? 'unreadable' : 'partly_unreadable';
