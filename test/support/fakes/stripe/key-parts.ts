import { inspect } from 'node:util';

/** A restricted key for tests. No part of it occurs anywhere else. */
export const TEST_KEY = 'rk_test_51QzW9kXj4vTbN8sHd7Lm2RfUy6Pc3';

const PREFIX = 'rk_test_'.length;
const SHORTEST_PART = 4;

/** Returns the parts of the test key in everything that a log or a store could take from a value. */
export function keyPartsIn(value: unknown): string[] {
  const texts = [
    String(value),
    JSON.stringify(value) as string | undefined,
    inspect(value, { depth: 10, showHidden: true, getters: true }),
    ...(value instanceof Error ? [value.message, value.stack, inspect(value.cause, { depth: 10 })] : []),
  ].join('\n');
  const secret = TEST_KEY.slice(PREFIX);
  return Array.from({ length: secret.length - SHORTEST_PART + 1 }, (_, at) =>
    secret.slice(at, at + SHORTEST_PART),
  ).filter((part) => texts.includes(part));
}
