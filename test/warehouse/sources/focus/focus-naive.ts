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

/** A line of an export as it stands, before it is known what it costs and to whom it belongs. */
export interface NaiveLine {
  /** ServiceProviderName, ProviderName, InvoiceIssuerName, PublisherName, in this order; null where there is none. */
  providers: readonly (string | null)[];
  period: string;
  usage: boolean;
  effective: string;
  billed: string;
  subAccount: string | null;
  billingAccount: string;
  /** x_ResourceGroupName, and the one that ResourceId names. */
  groups: readonly (string | null)[];
}

/** The short names of the providers that the lines have. */
export const NAIVE_CLOUDS: Readonly<Record<string, string>> = {
  AWS: 'aws',
  Microsoft: 'azure',
  Acme: 'acme',
};

const naiveCloud = ({ providers }: NaiveLine): string => {
  for (const provider of providers) if (provider !== null) return NAIVE_CLOUDS[provider] ?? '';
  throw new Error('a line without a provider');
};

/** Azure writes -2 or Unassigned for an id that is not there. */
const naiveId = (id: string | null, cloud: string): string | null =>
  cloud === 'azure' && id !== null && ['-2', 'unassigned'].includes(id.toLowerCase()) ? null : id;

/**
 * What a line costs and to whom it belongs, given all lines of its export. A cloud's bill of a period falls back to
 * BilledCost if it has usage, no EffectiveCost anywhere, and a BilledCost somewhere.
 */
export const naiveMeaning = (
  line: NaiveLine,
  all: readonly NaiveLine[],
): Pick<NaiveSpendRow, 'cost' | 'cloud' | 'account' | 'resourceGroup'> => {
  const cloud = naiveCloud(line);
  const bill = all.filter((other) => other.period === line.period && naiveCloud(other) === cloud);
  const fellBack =
    bill.some(({ usage }) => usage) &&
    bill.every(({ effective }) => unitsOf(effective) === 0n) &&
    bill.some(({ billed }) => unitsOf(billed) !== 0n);
  const groups = line.groups.map((group) => naiveId(group, cloud)).filter((group) => group !== null);
  return {
    cost: fellBack ? line.billed : line.effective,
    cloud,
    account: naiveId(line.subAccount, cloud) ?? line.billingAccount,
    resourceGroup: groups[0] ?? null,
  };
};

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
