/** How numbers read: in the browser's locale, money in the organisation's currency (issue: exact on hover). */

const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.NumberFormat(undefined, options);
  formats.set(key, known);
  return known;
}

/** Money with the digits of its currency. */
export const moneyText = (amount: number, currency: string): string =>
  ISO_CODE.test(currency)
    ? format({ style: 'currency', currency }).format(amount)
    : `${quantityText(amount)} ${currency}`;

/** `Intl` formats no other codes. Stripe has some. */
const ISO_CODE = /^[A-Z]{3}$/i;

/** Money for axes: short, for example `$12K`. */
export const shortMoneyText = (amount: number, currency: string): string =>
  format({ style: 'currency', currency, notation: 'compact', maximumSignificantDigits: 3 }).format(amount);

/** A cost per unit. One below a whole unit of money needs significant digits instead of cents. */
export const unitCostText = (amount: number, currency: string): string =>
  Math.abs(amount) >= 1 || amount === 0
    ? moneyText(amount, currency)
    : format({
        style: 'currency',
        currency,
        minimumSignificantDigits: 3,
        maximumSignificantDigits: 3,
      }).format(amount);

/** A count of units. */
export const quantityText = (value: number): string => format({ maximumFractionDigits: 2 }).format(value);

/** A count of things with their name, for example `1 row` and `2 rows`. */
export const countText = (count: number, name: string): string =>
  `${quantityText(count)} ${name}${count === 1 ? '' : 's'}`;

/** A count for axes. */
export const shortQuantityText = (value: number): string =>
  format({ notation: 'compact', maximumSignificantDigits: 3 }).format(value);

/** A share, from percent points: 12.5 is `12.5%`. */
export const percentText = (percent: number): string =>
  format({ style: 'percent', maximumFractionDigits: 1 }).format(percent / 100);

/** A change, from percent points, always with its sign and one decimal: 8 is `+8.0%`. */
export const changeText = (percent: number): string =>
  format({
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  }).format(percent / 100);

/** Every digit of a number, for whoever wants it exactly. */
export const exactText = (value: number): string => format({ maximumFractionDigits: 20 }).format(value);

/** A number of bytes, in the unit that suits it. */
export function sizeText(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return format({ style: 'unit', unit: units[power], unitDisplay: 'short', maximumFractionDigits: 1 }).format(
    bytes / 1000 ** power,
  );
}
