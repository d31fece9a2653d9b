/**
 * The daily totals of a FOCUS export, one row after the other in whole 10⁻¹⁵ units: slow, plain, and without a
 * line of the product in it.
 */
export interface NaiveRow {
  start: Date;
  end: Date;
  /** A plain decimal number, as text. */
  cost: string;
}

const UNITS_PER_ONE = 10n ** 15n;
const DAY = 86_400_000;

/** `-12.5` in units of 10⁻¹⁵; of more decimals than fifteen only zeros are understood. */
export const unitsOf = (text: string): bigint => {
  const [, sign, whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || /[^0]/.test(decimals.slice(15))) throw new Error(`no plain amount: ${text}`);
  const units = BigInt(whole) * UNITS_PER_ONE + BigInt(decimals.slice(0, 15).padEnd(15, '0'));
  return sign === '-' ? -units : units;
};

/** Units of 10⁻¹⁵ as the warehouse writes them. */
export const textOf = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(16, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -15)}.${digits.slice(-15)}`;
};

/** What each UTC day costs: a row inside a day is its, a longer one is shared by seconds, the last day takes the rest. */
export const naiveDailyTotals = (rows: readonly NaiveRow[]): Record<string, string> => {
  const totals = new Map<string, bigint>();
  const add = (midnight: number, units: bigint): void => {
    const day = new Date(midnight).toISOString().slice(0, 10);
    totals.set(day, (totals.get(day) ?? 0n) + units);
  };
  for (const { start, end, cost } of rows) {
    const units = unitsOf(cost);
    let rest = units;
    let midnight = Math.floor(start.getTime() / DAY) * DAY;
    while (midnight + DAY < end.getTime()) {
      const seconds = (midnight + DAY - Math.max(midnight, start.getTime())) / 1000;
      const share = (units * BigInt(seconds)) / BigInt((end.getTime() - start.getTime()) / 1000);
      add(midnight, share);
      rest -= share;
      midnight += DAY;
    }
    add(midnight, rest);
  }
  return Object.fromEntries(
    [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, units]) => [day, textOf(units)]),
  );
};
