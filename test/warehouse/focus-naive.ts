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

/** What each UTC day costs of a row: a row inside a day is its, a longer one is shared by seconds, the last day takes the rest. */
const naiveShares = ({ start, end, cost }: NaiveRow): { day: string; units: bigint }[] => {
  const shares: { day: string; units: bigint }[] = [];
  const add = (midnight: number, units: bigint): void => {
    shares.push({ day: new Date(midnight).toISOString().slice(0, 10), units });
  };
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
  return shares;
};

/** The sum of all rows' shares by a key of the row and the day, sorted by it. */
const naiveTotals = <Row extends NaiveRow>(
  rows: readonly Row[],
  keyOf: (row: Row, day: string) => string,
): Record<string, string> => {
  const totals = new Map<string, bigint>();
  for (const row of rows) {
    for (const { day, units } of naiveShares(row)) {
      const key = keyOf(row, day);
      totals.set(key, (totals.get(key) ?? 0n) + units);
    }
  }
  return Object.fromEntries(
    [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, units]) => [key, textOf(units)]),
  );
};

/** What each UTC day costs. */
export const naiveDailyTotals = (rows: readonly NaiveRow[]): Record<string, string> =>
  naiveTotals(rows, (_, day) => day);

/** A row with what it can be told apart by; its tags in the order in which they are written. */
export interface NaiveSpendRow extends NaiveRow {
  cloud: string;
  account: string;
  service: string | null;
  resourceGroup: string | null;
  tags: readonly (readonly [key: string, value: unknown])[];
}

export interface NaiveChoice {
  kind: 'tag' | 'split';
  cloud: string;
  account?: string;
  choice: string | null;
  firstDay: string;
}

/** The value of the first tag whose key is `wanted` but for spaces around it. */
const naiveTag = ({ tags }: NaiveSpendRow, wanted: string | null): string | null => {
  const value = tags.find(([key]) => key.replaceAll(/^ +| +$/g, '') === wanted)?.[1] ?? null;
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
};

/** The costs by `[day, cloud, account, split kind, split value, tag key, tag value]`, as JSON text, under these choices. */
export const naiveSpend = (
  rows: readonly NaiveSpendRow[],
  choices: readonly NaiveChoice[],
): Record<string, string> =>
  naiveTotals(rows, (row, day) => {
    const inForce = choices.filter(({ cloud, firstDay }) => cloud === row.cloud && firstDay <= day);
    const split = inForce.find(({ kind, account }) => kind === 'split' && account === row.account);
    const tag = inForce.find(({ kind }) => kind === 'tag');
    const group = split?.choice === 'service' ? row.service : (row.resourceGroup?.toLowerCase() ?? null);
    const splitValue = split === undefined ? null : group;
    const tagValue = tag === undefined ? null : naiveTag(row, tag.choice);
    return JSON.stringify([
      day,
      row.cloud,
      row.account,
      splitValue === null ? null : split?.choice,
      splitValue,
      tagValue === null ? null : tag?.choice,
      tagValue,
    ]);
  });
