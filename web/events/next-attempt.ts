import type { Schema } from '../http/api.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 2 * 3_600_000;

/**
 * When the service tries a pending delivery again: 1 s, 2 s, 4 s and so on after the last attempt, up to two hours
 * (docs/concepts.md, Delivery). The answer of the endpoint takes some seconds more.
 */
export const nextAttemptAt = ({
  attempts,
  created_at,
}: Pick<Schema<'Delivery'>, 'attempts' | 'created_at'>): Date => {
  const last = attempts.at(-1);
  return last === undefined
    ? new Date(created_at)
    : new Date(Date.parse(last.at) + Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempts.length - 1)));
};
