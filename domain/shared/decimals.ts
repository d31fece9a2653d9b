import Big from 'big.js';

/** Decimal places of money and unit costs on the wire (contract §1). */
const WIRE_DECIMALS = 6;
/** Decimal places of a metric value as it is stored (design §2). */
export const VALUE_DECIMALS = 10;
/** Above this a JSON number may no longer carry ten exact decimals' worth of trust. */
export const LARGEST_VALUE = 1e15;

/** An exact decimal as the warehouse writes it, for example `"12.340000000000000"`. */
export type DecimalText = string;

/** One for each number of places: to make one costs more than to divide. */
const divisions = new Map<number, typeof Big>();

const divisionTo = (places: number): typeof Big => {
  const known = divisions.get(places);
  if (known !== undefined) return known;
  const division = Big();
  division.DP = places;
  division.RM = Big.roundHalfUp;
  divisions.set(places, division);
  return division;
};

/** `dividend ÷ divisor`, rounded once, half away from zero, to `places` decimals. `divisor` is not 0. */
export const quotient = (dividend: Big, divisor: Big, places: number): Big =>
  divisionTo(places)(dividend).div(divisor);

/** An exact amount as the JSON number it becomes at the API's edge: six decimals, half away from zero. */
export const toWire = (amount: DecimalText | Big): number =>
  Number(Big(amount).round(WIRE_DECIMALS, Big.roundHalfUp));

/** A metric value as a JSON number, with all its ten decimals. */
export const valueToWire = (value: DecimalText | Big): number =>
  Number(Big(value).round(VALUE_DECIMALS, Big.roundHalfUp));

/** Change from `before` to `after` in percent of `before`; null when there is nothing to compare with. */
export const changePercent = (
  before: DecimalText | Big | null,
  after: DecimalText | Big | null,
): number | null => {
  if (before === null || after === null || Big(before).eq(0)) return null;
  const base = Big(before);
  return Number(quotient(Big(after).minus(base).times(100), base.abs(), WIRE_DECIMALS));
};

/** A decimal text with at most ten decimals and no exponent: most numbers are written so. */
const FITTING = /^(\d+)(?:\.(\d{1,10}))?$/;

/** Whether a number has at most ten decimals, so that storing it loses nothing. */
export const fitsValueDecimals = (value: number | Big): boolean => {
  if (typeof value === 'number' && (Number.isSafeInteger(value) || FITTING.test(value.toString())))
    return true;
  const exact = Big(value);
  return exact.round(VALUE_DECIMALS, Big.roundDown).eq(exact);
};

/** The number that a decimal text writes, also one such as `5.` or `.5`, which Big does not take. */
export const decimalOf = (text: string): Big => Big(text.replace(/^\./, '0.').replace(/\.(?!\d)/, ''));

/** Digits of a text that is surely no larger than 10¹⁵. */
const SHORT_DIGITS = 15;

/** Whether a text is plain digits that can be stored as they are: most are, and nothing needs to be computed. */
export const isPlainValue = (text: string): boolean => text.length <= SHORT_DIGITS && FITTING.test(text);

const UNITS = 10n ** BigInt(VALUE_DECIMALS);

/** A metric value, or the text of one, in units of 10⁻¹⁰; `value` has at most ten decimals. */
export const valueUnits = (value: number | string): bigint => {
  if (Number.isSafeInteger(value)) return BigInt(value) * UNITS;
  const [, whole, decimals = ''] = FITTING.exec(value.toString()) ?? [];
  return BigInt(
    whole === undefined
      ? decimalOf(value.toString()).times(`1e${VALUE_DECIMALS.toString()}`).toFixed(0)
      : whole + decimals.padEnd(VALUE_DECIMALS, '0'),
  );
};

/** Decimal places of money as it is stored (design §2). */
export const MONEY_DECIMALS = 15;

/** An exact decimal in units of its last place; `value` has at most `places` decimals. */
export const decimalUnits = (value: DecimalText, places: number): bigint =>
  BigInt(Big(value).times(`1e${places.toString()}`).toFixed(0));

/** Money as text from units of 10⁻¹⁵. */
export const moneyText = (units: bigint): DecimalText =>
  Big(units.toString()).times(`1e-${MONEY_DECIMALS.toString()}`).toFixed(MONEY_DECIMALS);
