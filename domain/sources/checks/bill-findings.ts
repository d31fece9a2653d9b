import { firstAndMore } from '../../shared/text/for-message.ts';

/** What a look at the newest file of a bill has found. */
export interface BillSample {
  rows: number;
  /** Rows of at most an hour, and the hours of a day that they have on average. */
  hourlyRows: number;
  hoursOfDay: number;
  /** Rows of more than two days. */
  longRows: number;
  /** The accounts that are billed, which may be different from those that are charged. */
  billingAccounts: readonly string[];
  hasTags: boolean;
}

/** What is known of a bill as a whole. */
export interface BillFacts {
  cloud: string | null;
  accounts: readonly string[];
  sample: BillSample | null;
  /** What each delivery reports on, such as an Azure subscription, as its manifest says. */
  scopes: readonly string[];
  /** Billing periods of which BilledCost is read, although EffectiveCost was asked for. */
  fallenBack: number;
  /** The column `Tags` makes sense only in FOCUS exports. */
  isFocus: boolean;
}

/** Most rows of a granularity: the others are taxes, purchases and credits. */
const MOST = 0.8;

/** Fewer hours of a day are no hourly export, but charges of some hours. */
const FEW_HOURS = 4;

/** Returns what is worth a change of a bill's export. */
export function billWarnings({ cloud, accounts, sample, scopes, fallenBack, isFocus }: BillFacts): string[] {
  const warnings: string[] = [];
  if (sample !== null && sample.rows > 0) {
    if (sample.hourlyRows >= sample.rows * MOST && sample.hoursOfDay >= FEW_HOURS)
      warnings.push(
        `the rows are hourly, which makes up to ${Math.round(sample.hoursOfDay)} rows of what a daily export has in one: ` +
          `costs are the same by day, so ${DAILY[cloud ?? ''] ?? 'export daily rows, which are read faster'}`,
      );
    if (sample.longRows >= sample.rows * MOST)
      warnings.push(
        'most rows span several days, so that each day gets the same part of them: export daily rows to see what changes from day to day',
      );
    if (isFocus && !sample.hasTags)
      warnings.push(
        `the export has no column Tags, so that nobody can pick spend by a tag: ${TAGS[cloud ?? ''] ?? 'include the column Tags'}`,
      );
  }
  if (fallenBack > 0)
    warnings.push(
      `EffectiveCost is missing or 0 in all rows of ${fallenBack} billing ${fallenBack === 1 ? 'period' : 'periods'}, so that BilledCost is read: ` +
        'export amortised costs, or set options.cost_column to "BilledCost"',
    );
  warnings.push(...oneAccount({ cloud, accounts, sample, scopes }));
  return warnings;
}

const DAILY: Partial<Record<string, string>> = {
  aws: 'choose the time granularity "Daily" of the export to read it faster',
};

const TAGS: Partial<Record<string, string>> = {
  aws: 'choose all columns of the FOCUS table in Data Exports, and activate cost allocation tags',
  azure: 'choose the data set "Cost and usage details (FOCUS)" with all columns',
  gcp: 'select the column Tags in the query that exports the FOCUS view',
};

/** Returns how an export stops to write its rows again into a new file each day. */
export const overwriteAdvice = (cloud: string | null): string =>
  OVERWRITE[cloud ?? ''] ?? 'let the export overwrite its files';

const OVERWRITE: Partial<Record<string, string>> = {
  aws: 'choose "Overwrite existing data export file" in Data Exports',
  azure: 'turn on "Overwrite data" of the export, and keep its manifests',
};

/** Warns of a bill of one account whose billing account probably has others. */
function oneAccount({
  cloud,
  accounts,
  sample,
  scopes,
}: Pick<BillFacts, 'cloud' | 'accounts' | 'sample' | 'scopes'>): string[] {
  const [account, ...others] = accounts;
  if (account === undefined || others.length > 0) return [];
  const subscription = scopes.find((scope) => /^\/subscriptions\/[^/]+/i.test(scope));
  if (
    cloud === 'azure' &&
    subscription !== undefined &&
    scopes.every((scope) => /^\/subscriptions\//i.test(scope))
  )
    return [
      `the export has 1 subscription, ${account}, because its scope is ${subscription}: if you have others, make the export in Cost ` +
        'Management at the scope of the billing account',
    ];
  const [payer, ...payers] = sample?.billingAccounts ?? [];
  if (cloud === 'aws' && payer !== undefined && payers.length === 0 && payer !== account)
    return [
      `the export has 1 account, ${account}, of the payer ${payer}: it is probably a member account’s own export; make the export in the ` +
        'management account to have the costs of all accounts',
    ];
  return [];
}

/** Returns why the currencies of a bill cannot be read, in a sentence; null if they can. */
export function currencyProblem(rowsOf: ReadonlyMap<string, number>, expected: string): string | null {
  const others = [...rowsOf.keys()].filter((currency) => currency.toUpperCase() !== expected);
  const [only] = others;
  if (only === undefined) return null;
  if (rowsOf.size === 1)
    return (
      `the bill is in ${only}, and the organisation in ${expected}: money is never converted, so export the bill in ${expected}, ` +
      `or connect it to an organisation in ${only}`
    );
  const found = [...rowsOf].map(([currency, rows]) => `${currency} in ${rows} rows`);
  return (
    `the bill mixes currencies, ${firstAndMore(found, 10).join(', ')}, and the organisation is in ${expected}: money is never converted, ` +
    `so export the accounts that are billed in ${expected} to a folder of their own`
  );
}

/** A cluster beside a bill. */
export interface ClusterBesideBill {
  cluster: string;
  nodes: number;
  onBill: number;
  /** Those on other connected bills. */
  onOtherBill: number;
  /** The subscriptions or projects of its nodes, as far as their ids show them. */
  accounts: readonly string[];
}

/** Warns of clusters whose machines this bill should have, because they are of its cloud, and has not. */
export const clusterWarnings = (
  clusters: readonly ClusterBesideBill[],
  accounts: readonly string[],
): string[] =>
  clusters
    .filter(({ onBill, onOtherBill }) => onBill === 0 && onOtherBill === 0)
    .map(({ cluster, nodes, accounts: theirs }) => {
      const missing = theirs.filter((account) => !accounts.some((one) => isSame(one, account)));
      const where =
        missing.length === 0
          ? 'include the account of these machines in the export, and resource ids'
          : `${nodes === 1 ? 'it is' : 'they are'} in ${firstAndMore(missing, 5).join(', ')}, and the bill has ${accounts.length} other ${accounts.length === 1 ? 'account' : 'accounts'}: export all`;
      const which = nodes === 1 ? 'the only node' : `none of the ${nodes} nodes`;
      return `${which} of cluster ${JSON.stringify(cluster)} is ${nodes === 1 ? 'not ' : ''}on this bill, so that its costs count beside it: ${where}`;
    });

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
