import { describe, expect, it } from 'vitest';
import { splitByLargestRemainder } from '../../../domain/teams/largest-remainder.ts';

describe('the largest-remainder method', () => {
  it.each<[string, bigint, bigint[], bigint[]]>([
    ['splits an amount that divides evenly', 12n, [1n, 2n, 3n], [2n, 4n, 6n]],
    ['gives a unit left over to the first of equals', 100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    ['gives two units left over to the first two of equals', 101n, [1n, 1n, 1n], [34n, 34n, 33n]],
    // 10 × 1, 2, 4 ÷ 7 = 1.43, 2.86, 5.71: the two units left over go to .86 and .71.
    ['gives units left over to the largest remainders', 10n, [1n, 2n, 4n], [1n, 3n, 6n]],
    ['splits a credit like its absolute amount', -10n, [1n, 2n, 4n], [-1n, -3n, -6n]],
    ['gives nothing to a weight of 0', 7n, [0n, 1n, 1n], [0n, 4n, 3n]],
    ['splits 0 into zeros', 0n, [1n, 1n], [0n, 0n]],
    ['splits fewer units than parts', 1n, [1n, 1n, 1n], [1n, 0n, 0n]],
  ])('%s', (_, units, weights, parts) => {
    expect(splitByLargestRemainder(units, weights)).toEqual(parts);
  });

  it('adds up exactly beyond doubles and 128 bits', () => {
    const units = 987_654_321_987_654_321_987_654_321_987_654_321n;
    const weights = [10n ** 30n + 1n, 3n, 7n * 10n ** 29n, 0n, 123_456_789n];
    const parts = splitByLargestRemainder(units, weights);
    expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(units);
    expect(splitByLargestRemainder(-units, weights)).toEqual(parts.map((part) => -part));
  });

  it('rejects negative weights, and weights that are all 0', () => {
    for (const weights of [[], [0n], [1n, -1n]])
      expect(() => splitByLargestRemainder(1n, weights)).toThrow('expected weights of at least 0, not all 0');
  });
});
