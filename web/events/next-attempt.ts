import { waitAfter } from '../../domain/events/retry-after.ts';
import type { Schema } from '../http/api.ts';

/**
 * When the service tries a pending delivery again (docs/concepts.md, Delivery). The answer of the endpoint takes some seconds
 * more.
 */
export function nextAttemptAt({
  attempts,
  created_at,
}: Pick<Schema<'Delivery'>, 'attempts' | 'created_at'>): Date {
  const last = attempts.at(-1);
  return last === undefined
    ? new Date(created_at)
    : new Date(Date.parse(last.at) + 1_000 * waitAfter(attempts.length, last.retry_after));
}
