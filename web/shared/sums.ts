const MICROS = 1e6;

/** Adds amounts up as the API rounds them, so that no rest of a binary fraction is shown. */
export const sumOf = (amounts: readonly number[]): number =>
  Math.round(amounts.reduce((sum, amount) => sum + amount * MICROS, 0)) / MICROS;
