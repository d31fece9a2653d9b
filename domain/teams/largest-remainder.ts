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
  const parts = weights.map((weight) => (amount * weight) / totalWeight);
  const leftOver = Number(amount - parts.reduce((sum, part) => sum + part, 0n));
  if (leftOver > 0) {
    const remainders = weights.map((weight) => (amount * weight) % totalWeight);
    const byRemainder = [...remainders.entries()].sort(([one, its], [other, others]) =>
      its === others ? one - other : its > others ? -1 : 1,
    );
    for (const [index] of byRemainder.slice(0, leftOver)) parts[index] = (parts[index] ?? 0n) + 1n;
  }
  return units < 0n ? parts.map((part) => -part) : parts;
}
