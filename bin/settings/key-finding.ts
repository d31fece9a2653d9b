import { countTexts, masterKeyState, type MasterKeyState } from '../../security/sealed-counts.ts';
import type { Sealer } from '../../security/sealing.ts';
import type { SealedByKey } from '../../warehouse/engine/records/sealed-texts.ts';

/** What the master keys open of what is sealed, in words for the operator. */
export interface KeyFinding {
  state: MasterKeyState | 'rotating';
  text: string;
}

/**
 * Returns what the master keys of the settings open, for the start and for the doctor. `sealer` is null if there is no key. A
 * service whose keys open nothing must not start, because nobody could open what it seals.
 */
export function keyFinding(
  sealed: readonly SealedByKey[],
  sealer: Pick<Sealer, 'keyId' | 'previousKeyId'> | null,
  dataDir: string,
): KeyFinding {
  const all = sealed.reduce((sum, { texts }) => sum + texts, 0);
  if (sealer === null)
    return all === 0
      ? { state: 'ok', text: 'there is no key yet, and nothing is sealed: the start makes one' }
      : {
          state: 'unreadable',
          text: `${all} texts are sealed with the master key ${idsOf(sealed)}, and there is no key: set MASTER_KEY, or put master.key back into ${dataDir}`,
        };
  const { previous, unreadable, ...counts } = countTexts(sealed, sealer);
  const state = masterKeyState({ previous, unreadable, ...counts });
  const others = idsOf(sealed.filter(({ key_id: id }) => id !== sealer.keyId && id !== sealer.previousKeyId));
  if (state === 'unreadable')
    return {
      state,
      text:
        `the master key ${sealer.keyId} opens none of the ${all} sealed texts, which the master key ${others} has sealed. ` +
        'If rotate-master-key ran since, it has sealed everything anew, and the key before it opens nothing any more: ' +
        `set MASTER_KEY to the key ${others}`,
    };
  if (state === 'partly_unreadable')
    return {
      state,
      text:
        `${unreadable} of ${all} sealed texts open with neither MASTER_KEY nor MASTER_KEY_PREVIOUS, because the master key ${others} has sealed them: ` +
        'start with that key as MASTER_KEY_PREVIOUS, and run rotate-master-key; without it, these values and secrets must be entered again',
    };
  return previous > 0
    ? {
        state: 'rotating',
        text: `${previous} texts are sealed with MASTER_KEY_PREVIOUS: run rotate-master-key`,
      }
    : { state, text: 'opens everything that is sealed' };
}

const idsOf = (sealed: readonly SealedByKey[]): string => sealed.map(({ key_id }) => key_id).join(' or ');
