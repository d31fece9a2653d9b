import Big from 'big.js';

/** Decimal places of money and unit costs on the wire (docs/http.md#what-all-answers-have-in-common). */
const WIRE_DECIMALS = 6;
/** Decimal places of a stored metric value (docs/design.md#exact-numbers). */
export const VALUE_DECIMALS = 10;
/** The largest metric value. Larger JSON numbers are too imprecise to trust. */
export const LARGEST_VALUE = 1e15;

/** An exact decimal in the warehouse's notation, for example `"12.340000000000000"`. */
export type DecimalText = string;

/** Returns the digits of a number as an integer, without its sign. The number is that integer times 10 to the returned exponent. */
const digitsOf = ({ c, e }: Big): { digits: bigint; exponent: number } => ({
  digits: BigInt(c.join('')),
  exponent: e - c.length + 1,
});

/**
 * Returns `dividend ÷ divisor`, rounded once, half away from zero, to `places` decimals. `divisor` must not be 0. Integers divide
 * several times faster than Big, which divides digit by digit.
 */
export function quotient(dividend: Big, divisor: Big, places: number): Big {
  const [over, under] = [digitsOf(dividend), digitsOf(divisor)];
  const shift = over.exponent - under.exponent + places;
  const whole = over.digits * 10n ** BigInt(Math.max(shift, 0));
  const part = under.digits * 10n ** BigInt(Math.max(-shift, 0));
  const units = (2n * whole + part) / (2n * part);
  return Big(withPlaces(dividend.s === divisor.s ? units : -units, places));
}

/** Returns the decimal text of a number of units of the last of some places. */
function withPlaces(units: bigint, places: number): DecimalText {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const cut = digits.length - places;
  return `${units < 0n ? '-' : ''}${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

const roundedMoney = (amount: DecimalText | Big): Big => Big(amount).round(WIRE_DECIMALS, Big.roundHalfUp);

/** Rounds a metric value to the ten decimals that it is stored with, half away from zero. */
export const roundedToValue = (value: DecimalText | Big): Big =>
  Big(value).round(VALUE_DECIMALS, Big.roundHalfUp);

/** Rounds an exact amount to the API's JSON number: six decimals, half away from zero. */
export function toWire(amount: DecimalText | Big): number {
  // The warehouse writes money with all its decimals.
  const [, sign, whole, kept, first] = typeof amount === 'string' ? (MONEY_TEXT.exec(amount) ?? []) : [];
  if (whole === undefined || kept === undefined || first === undefined) return Number(roundedMoney(amount));
  const units = BigInt(whole + kept) + (first >= '5' ? 1n : 0n);
  return Number(withPlaces(sign === '-' ? -units : units, WIRE_DECIMALS));
}

const MONEY_TEXT = /^(-?)(\d+)\.(\d{6})(\d)\d{8}$/;

/** Rounds an exact amount like {@link toWire}, and returns its exact text, for formats with decimals. */
export const toWireText = (amount: DecimalText | Big): DecimalText => roundedMoney(amount).toFixed();

/** Returns a metric value as a JSON number, with all its ten decimals. */
export const valueToWire = (value: DecimalText | Big): number => Number(roundedToValue(value));

/** Rounds a metric value to ten decimals, and returns its exact text. */
export const valueToWireText = (value: DecimalText | Big): DecimalText => roundedToValue(value).toFixed();

/** Returns the change from `before` to `after` in percent of `before`; null if one is missing, or `before` is 0. */
export function changePercent(
  before: DecimalText | Big | null,
  after: DecimalText | Big | null,
): number | null {
  if (before === null || after === null || Big(before).eq(0)) return null;
  const base = Big(before);
  return Number(quotient(Big(after).minus(base).times(100), base.abs(), WIRE_DECIMALS));
}

/** A decimal text with at most ten decimals and no exponent, like most numbers. */
const FITTING = /^(\d+)(?:\.(\d{1,10}))?$/;

/** Whether a number has at most ten decimals, so that storing it loses nothing. */
export function fitsValueDecimals(value: number | Big): boolean {
  if (typeof value === 'number' && (Number.isSafeInteger(value) || FITTING.test(value.toString())))
    return true;
  const exact = Big(value);
  return exact.round(VALUE_DECIMALS, Big.roundDown).eq(exact);
}

/** Returns the number in a decimal text. It also accepts `5.` and `.5`, which Big rejects. */
export const decimalOf = (text: string): Big => Big(text.replace(/^(-?)\./, '$10.').replace(/\.(?!\d)/, ''));

/** A plain number of at most this many characters is certainly below 10¹⁵. */
const SHORT_DIGITS = 15;

/** Whether a text is a plain number that can be stored without further checks. Most values are. */
export const isPlainValue = (text: string): boolean => text.length <= SHORT_DIGITS && FITTING.test(text);

const UNITS = 10n ** BigInt(VALUE_DECIMALS);

/** Returns a metric value, or its text, in units of 10⁻¹⁰. `value` must have at most ten decimals. */
export function valueUnits(value: number | string): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value) * UNITS;
  const [, whole, decimals = ''] = FITTING.exec(value.toString()) ?? [];
  return BigInt(
    whole === undefined
      ? decimalOf(value.toString()).times(`1e${VALUE_DECIMALS.toString()}`).toFixed(0)
      : whole + decimals.padEnd(VALUE_DECIMALS, '0'),
  );
}

/** Decimal places of stored money (docs/design.md#exact-numbers). */
export const MONEY_DECIMALS = 15;

/** A decimal text without an exponent. */
const PLAIN = /^(-?\d+)(?:\.(\d+))?$/;

/** Returns a decimal in units of its last place. More than `places` decimals are rounded, half away from zero. */
export function decimalUnits(value: DecimalText, places: number): bigint {
  // The warehouse writes all decimals, and bills have a hundred thousand amounts.
  if (value.indexOf('.') === value.length - places - 1 && !value.includes('e')) return unitsOfFixed(value);
  const [, whole, decimals = ''] = PLAIN.exec(value) ?? [];
  return BigInt(
    whole === undefined || decimals.length > places
      ? Big(value).times(`1e${places.toString()}`).toFixed(0)
      : whole + decimals.padEnd(places, '0'),
  );
}

/** Returns the units of a text that has all decimals of its type, as the warehouse writes it. */
export const unitsOfFixed = (value: DecimalText): bigint => BigInt(value.replace('.', ''));

/** Returns the decimal text of a value in units of 10⁻¹⁰. */
export const valueText = (units: bigint): DecimalText => withPlaces(units, VALUE_DECIMALS);

/** Returns the decimal text of money in units of 10⁻¹⁵. */
export const moneyText = (units: bigint): DecimalText => withPlaces(units, MONEY_DECIMALS);
