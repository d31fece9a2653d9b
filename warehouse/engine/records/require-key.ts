import { unavailable } from '../../../domain/shared/errors.ts';
import type { Sealer } from '../../../security/sealing.ts';
import type { Queries } from '../session.ts';
import { opensAny } from './sealed-texts.ts';

/**
 * Throws `unavailable` if the master keys of this process open nothing of what is sealed. Another node may have rotated the key
 * since this one started. Call it in the transaction that stores a sealed text, because nobody else could open that text.
 */
export async function requireOpeningKey(
  session: Queries,
  sealer: Pick<Sealer, 'keyId' | 'previousKeyId'>,
): Promise<void> {
  if (!(await opensAny(session, sealer)))
    throw unavailable(
      'this node can seal nothing, because its MASTER_KEY opens nothing that is stored: the operator starts it with the ' +
        'key that rotate-master-key sealed everything with',
    );
}
