// Exact arithmetic of the naive calculations, in whole numbers of the smallest unit.

/** Returns `dividend ÷ divisor`, rounded to the nearest whole number, with halves away from zero. */
export function divided(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const [above, below] = [absolute(dividend), absolute(divisor)];
  const nearest = (2n * above + below) / (2n * below);
  return isNegative ? -nearest : nearest;
}

export const absolute = (number: bigint): bigint => (number < 0n ? -number : number);

/** Returns units of 10⁻ᵖˡᵃᶜᵉˢ as text with that many decimals. */
export function decimalText(units: bigint, places: number): string {
  const digits = absolute(units)
    .toString()
    .padStart(places + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Returns a plain decimal text in units of 10⁻ᵖˡᵃᶜᵉˢ. Throws if it has more decimals. */
export function decimalUnits(text: string, places: number): bigint {
  const [whole = '0', decimals = ''] = text.split('.');
  if (decimals.length > places) throw new Error(`more than ${places} decimals: ${text}`);
  return BigInt(whole + decimals.padEnd(places, '0'));
}

/** Returns units of 10⁻ᵖˡᵃᶜᵉˢ as the number in API answers, with six decimals. */
export const sixDecimals = (units: bigint, places: number): number =>
  Number(decimalText(divided(units, 10n ** BigInt(places - 6)), 6));
