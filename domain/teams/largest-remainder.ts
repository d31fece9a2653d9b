const magnitude = (units: bigint): bigint => (units < 0n ? -units : units);

/**
 * Splits an amount, in whole units, by weights, so that the parts add up to it exactly (largest-remainder method). Each part is
 * rounded down. The units left over go one each to the largest remainders. If remainders are equal, the earlier part comes
 * first. A negative amount is split as its magnitude, and the parts are negated. Weights must not be negative, and not all 0.
 */
export function splitByLargestRemainder(units: bigint, weights: readonly bigint[]): bigint[] {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0n);
  if (totalWeight <= 0n || weights.some((weight) => weight < 0n))
    throw new RangeError('expected weights of at least 0, not all 0');
  const amount = magnitude(units);
  const sign = units < 0n ? -1n : 1n;
  const parts = weights.map((weight, index) => ({
    index,
    part: (amount * weight) / totalWeight,
    remainder: (amount * weight) % totalWeight,
  }));
  const leftOver = amount - parts.reduce((sum, { part }) => sum + part, 0n);
  const byRemainder = parts.toSorted((one, other) =>
    one.remainder === other.remainder ? one.index - other.index : one.remainder > other.remainder ? -1 : 1,
  );
  const raised = new Set(byRemainder.slice(0, Number(leftOver)).map(({ index }) => index));
  return parts.map(({ index, part }) => sign * (raised.has(index) ? part + 1n : part));
}
