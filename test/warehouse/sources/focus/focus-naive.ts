/**
 * Computes the daily totals of a FOCUS export row by row in whole units of 10⁻¹⁵. It is slow and simple, and shares no code with
 * the product.
 */
export interface NaiveRow {
  start: Date;
  end: Date;
  /** A plain decimal number, as text. */
  cost: string;
}

const UNITS_PER_ONE = 10n ** 15n;
const DAY = 86_400_000;

/** Returns `-12.5` in units of 10⁻¹⁵. All decimals after the fifteenth must be zeros. */
export function unitsOf(text: string): bigint {
  const [, sign, whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || /[^0]/.test(decimals.slice(15))) throw new Error(`not a plain amount: ${text}`);
  const units = BigInt(whole) * UNITS_PER_ONE + BigInt(decimals.slice(0, 15).padEnd(15, '0'));
  return sign === '-' ? -units : units;
}

/** Returns units of 10⁻¹⁵ as the text that the warehouse has. */
export function textOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(16, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -15)}.${digits.slice(-15)}`;
}

/** Returns the cost of a row by UTC day. A row over several days is split by seconds, and its last day takes the rest. */
function naiveShares({ start, end, cost }: NaiveRow): { day: string; units: bigint }[] {
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
}

/** Returns the sums of all rows' shares by a key of row and day, sorted by the key. */
function naiveTotals<Row extends NaiveRow>(
  rows: readonly Row[],
  keyOf: (row: Row, day: string) => string,
): Record<string, string> {
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
}

/** Returns the cost of each UTC day. */
export const naiveDailyTotals = (rows: readonly NaiveRow[]): Record<string, string> =>
  naiveTotals(rows, (_, day) => day);

/** A row with its keys. Its tags are in the order of the export. */
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

/** A line of an export, before its cost and account are decided. */
export interface NaiveLine {
  /** ServiceProviderName, ProviderName, InvoiceIssuerName, PublisherName, in this order; null if the column is empty. */
  providers: readonly (string | null)[];
  period: string;
  usage: boolean;
  /** CommitmentDiscountId. A line that is not usage is a purchase. */
  commitment: string | null;
  effective: string;
  billed: string;
  subAccount: string | null;
  billingAccount: string;
  /** x_ResourceGroupName, and the group in ResourceId. */
  groups: readonly (string | null)[];
}

/** The short names of the providers in the lines. */
export const NAIVE_CLOUDS: Readonly<Record<string, string>> = {
  AWS: 'aws',
  Microsoft: 'azure',
  Acme: 'acme',
};

function naiveCloud({ providers }: NaiveLine): string {
  for (const provider of providers) if (provider !== null) return NAIVE_CLOUDS[provider] ?? '';
  throw new Error('a line without a provider');
}

/** Azure writes -2 or Unassigned for a missing id. */
const naiveId = (id: string | null, cloud: string): string | null =>
  cloud === 'azure' && id !== null && ['-2', 'unassigned'].includes(id.toLowerCase()) ? null : id;

/**
 * Returns the cost and the owner of a line, given all lines of its export. A cloud's bill of a period falls back to BilledCost if
 * it has no EffectiveCost in any line, and usage with a BilledCost. A purchase costs nothing if usage of its commitment has an
 * EffectiveCost above 0.
 */
export function naiveMeaning(
  line: NaiveLine,
  all: readonly NaiveLine[],
): Pick<NaiveSpendRow, 'cost' | 'cloud' | 'account' | 'resourceGroup'> {
  const cloud = naiveCloud(line);
  const bill = all.filter((other) => other.period === line.period && naiveCloud(other) === cloud);
  const fellBack =
    bill.every(({ effective }) => unitsOf(effective) === 0n) &&
    bill.some(({ usage, billed }) => usage && unitsOf(billed) !== 0n);
  const isAmortised =
    !line.usage &&
    line.commitment !== null &&
    all.some(
      (other) =>
        other.usage &&
        other.commitment === line.commitment &&
        naiveCloud(other) === cloud &&
        unitsOf(other.effective) > 0n,
    );
  const groups = line.groups.map((group) => naiveId(group, cloud)).filter((group) => group !== null);
  return {
    cost: fellBack ? line.billed : isAmortised ? '0' : line.effective,
    cloud,
    account: naiveId(line.subAccount, cloud) ?? line.billingAccount,
    resourceGroup: groups[0] ?? null,
  };
}

const withoutSpaces = (text: string): string => text.replaceAll(/^ +| +$/g, '');

/** Returns the value of the first tag whose key is `wanted`, without the spaces around both. Azure's keys are one in any case. */
function naiveTag({ tags, cloud }: NaiveSpendRow, wanted: string | null): string | null {
  if (wanted === null) return null;
  const inCase = (key: string): string => (cloud === 'azure' ? key.toLowerCase() : key);
  const value = tags.find(([key]) => inCase(withoutSpaces(key)) === inCase(wanted))?.[1] ?? null;
  if (typeof value === 'string') return withoutSpaces(value);
  return value === null ? null : JSON.stringify(value);
}

/** Returns the costs under these choices, by `[day, cloud, account, split kind, split value, tag key, tag value]` as JSON. */
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
