import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import type { Kind } from '../../../domain/sources/kinds.ts';
import { dayLine, focusCsv, type FocusLine } from './focus-export.ts';

/** A source that somebody is about to connect on 7 February 2026, and the sentence that says what is wrong. */
export interface SetUp {
  kind?: Kind;
  /** The text of each file, by its name below the location. */
  files: Record<string, string | Buffer>;
  /** The text of the second feed. */
  second?: string;
  options?: Record<string, unknown>;
  /** The location, if it is not the folder of the files. */
  location?: string;
  problem?: RegExp;
  warning?: RegExp;
}

const TODAY: Day = '2026-02-07';

export function daysFrom(first: Day, last: Day): Day[] {
  const days: Day[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

const PAYER = { BillingAccountId: '1000', SubAccountId: '1000' };
const MEMBER = { BillingAccountId: '1000', SubAccountId: '1111' };

/** Lines of two accounts, of which one pays. */
export const billLines = (first: Day, last: Day, more: FocusLine = {}): FocusLine[] =>
  daysFrom(first, last).flatMap((day) => [
    dayLine(day, '2', { ...PAYER, ...more }),
    dayLine(day, '10', { ...MEMBER, ...more }),
  ]);

/** The lines of December to yesterday. */
const LINES = billLines('2025-12-01', '2026-02-06');
const BILL = focusCsv(LINES);

const rows = (header: string, lines: readonly string[]): string => [header, ...lines, ''].join('\n');

const ALLOCATIONS = 'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost';
const allocations = (header: string, line: (day: Day) => string): string =>
  rows(header, daysFrom('2026-01-01', '2026-02-06').map(line));
const assets = (cluster: string): string =>
  rows(
    'day,cluster,kind,provider_id,cost',
    daysFrom('2026-01-01', '2026-02-06').map((day) => `${day},${cluster},Node,i-0123456789abcdef0,6`),
  );

const manifest = (folder: string, scope: string): string =>
  JSON.stringify({
    exportConfig: { resourceId: `${scope}/providers/Microsoft.CostManagement/exports/daily` },
    runInfo: {
      startDate: '2026-01-01T00:00:00Z',
      endDate: '2026-02-06T00:00:00Z',
      submittedTime: '2026-02-07T02:00:00Z',
    },
    blobs: [{ blobName: `${folder}/part_0.csv` }],
  });

const AZURE = { ProviderName: 'Microsoft', BillingAccountId: 'mca-1' };
const subscription = (id: string, cost: string): FocusLine[] =>
  daysFrom('2026-01-01', '2026-02-06').map((day) => dayLine(day, cost, { ...AZURE, SubAccountId: id }));

/** A month-to-date dump of February, written on the day after `last`; the cloud restates the first day each time. */
const dump = (last: Day): string =>
  focusCsv([...billLines('2026-02-02', last), dayLine('2026-02-01', `3.${last.slice(8)}`, MEMBER)]);

/** Sources that are set up wrongly, by what is wrong. */
export const wrongSetUps = (): Record<string, SetUp> => ({
  'an empty folder': { files: { 'readme.md': 'nothing' }, problem: /there is "readme.md"/ },
  'a path that is not there': {
    files: { 'bill.csv': BILL },
    location: 'bills-of-nobody',
    problem: /nothing is there: check the path/,
  },
  'a path outside the folders of the organisation': { files: {}, location: '/etc', problem: /SOURCE_ROOTS/ },
  'only manifests': {
    files: { '20260101-20260131/run/manifest.json': manifest('run', '/subscriptions/s1') },
    problem: /only manifests: wait until the export has written its files/,
  },
  'a workbook': {
    files: { 'bill.xlsx': Buffer.from('PK') },
    problem: /"bill.xlsx", which is a workbook: save it as CSV/,
  },
  'an archive beside the bill': {
    files: { 'bill.csv': BILL, 'old.zip': Buffer.from('PK') },
    warning: /"old.zip" is an archive and was left out: unpack it/,
  },
  'a bill of another format': {
    files: {
      'cur.csv':
        'line_item_usage_account_id,line_item_usage_start_date,line_item_line_item_type,line_item_unblended_cost\n' +
        '1111,2026-01-01T00:00:00Z,Usage,10\n',
    },
    problem: /this is AWS CUR; make the source an aws_cur one/,
  },
  'a missing column': {
    files: {
      'bill.csv': focusCsv(
        LINES,
        Object.keys(LINES[0] ?? {}).filter((name) => name !== 'SubAccountId'),
      ),
    },
    problem: /mandatory column .* is missing: add the column to the export/,
  },
  semicolons: {
    files: { 'bill.csv': BILL.replaceAll(',', ';') },
    problem: /expected commas between the columns, got semicolons/,
  },
  'a header without rows': {
    files: { 'bill.csv': `${BILL.split('\n')[0] ?? ''}\n` },
    problem: /there is no charge: wait until/,
  },
  'rows that cannot be read': {
    files: { 'bill.csv': BILL.replaceAll(',10,', ',ten,') },
    problem: /rows cannot be read, more than 1 %.*: correct the export/,
  },
  'only old months': {
    files: { 'bill.csv': focusCsv(billLines('2025-09-01', '2025-11-30')) },
    problem:
      /the newest charge is of 2025-11-30, more than 40 days ago: name the folder into which the export writes now/,
  },
  'a month that is missing': {
    files: {
      'bill.csv': focusCsv([
        ...billLines('2025-10-01', '2025-11-30'),
        ...billLines('2026-01-01', '2026-02-06'),
      ]),
    },
    problem: /there is no charge of 2025-12, between 2025-10 and 2026-02: export these months, too/,
  },
  'only the running month': {
    files: { 'bill.csv': focusCsv(billLines('2026-02-01', '2026-02-06')) },
    warning:
      /the only month is the running one, 2026-02.*: open a case with AWS Support to backfill the export/,
  },
  'a forecast': {
    files: { 'bill.csv': focusCsv(billLines('2026-03-01', '2026-03-31')) },
    problem: /all charges are of days in the future, from 2026-03-01 on/,
  },
  'another currency': {
    files: { 'bill.csv': focusCsv(billLines('2026-01-01', '2026-02-06', { BillingCurrency: 'EUR' })) },
    problem: /the bill is in EUR, and the organisation in USD: money is never converted/,
  },
  'two currencies': {
    files: {
      'bill.csv': focusCsv([...LINES, ...billLines('2026-01-01', '2026-02-06', { BillingCurrency: 'EUR' })]),
    },
    problem: /mixes currencies, USD in 136 rows, EUR in 74 rows/,
  },
  'the export of one subscription': {
    files: {
      '20260101-20260206/run/manifest.json': manifest('run', '/subscriptions/s1'),
      '20260101-20260206/run/part_0.csv': focusCsv(subscription('s1', '10')),
    },
    warning:
      /1 subscription, s1, because its scope is \/subscriptions\/s1: if you have others, make the export .* billing account/,
  },
  'the export of a member account': {
    files: { 'bill.csv': focusCsv(LINES.filter(({ SubAccountId: id }) => id === '1111')) },
    warning: /1 account, 1111, of the payer 1000: .* make the export in the management account/,
  },
  'month-to-date dumps side by side': {
    files: Object.fromEntries(
      daysFrom('2026-02-02', '2026-02-06').map((day) => [`until-${day}.csv`, dump(day)]),
    ),
    problem: /account "aws\/1111".*counts twice; .*choose "Overwrite existing data export file"/,
  },
  'copies of one file': {
    files: { 'bill.csv': BILL, 'bill (1).csv': BILL },
    warning: /1 of 2 files have only rows that others have, too, and count once/,
  },
  'two exports of overlapping scopes in one folder': {
    files: {
      'payer.csv': focusCsv(LINES),
      'member.csv': focusCsv(
        LINES.filter(({ SubAccountId: id }) => id === '1111').map((line) => ({
          ...line,
          SubAccountName: 'Other',
        })),
      ),
    },
    problem: /account "aws\/1111" with the same amounts in two files.*counts twice/,
  },
  'hourly rows': {
    files: {
      'bill.csv': focusCsv(
        daysFrom('2025-12-20', '2026-02-06').flatMap((day) =>
          Array.from({ length: 24 }, (_, hour) => ({
            ...dayLine(day, '0.5', hour % 2 === 0 ? PAYER : MEMBER),
            ChargePeriodStart: `${day}T${String(hour).padStart(2, '0')}:00:00Z`,
            ChargePeriodEnd:
              hour === 23
                ? `${addDays(day, 1)}T00:00:00Z`
                : `${day}T${String(hour + 1).padStart(2, '0')}:00:00Z`,
          })),
        ),
      ),
    },
    warning: /the rows are hourly, which makes up to 24 rows .* time granularity "Daily"/,
  },
  'no amortised cost': {
    files: { 'bill.csv': focusCsv(LINES.map((line) => ({ ...line, EffectiveCost: '0' }))) },
    warning:
      /EffectiveCost is missing or 0 in all rows of 3 billing periods.* set options.cost_column to "BilledCost"/,
  },
  'no tags': {
    files: {
      'bill.csv': focusCsv(
        LINES,
        Object.keys({ ...dayLine(TODAY, '1'), ...USED }).filter((name) => name !== 'Tags'),
      ),
    },
    warning: /no column Tags, so that nobody can pick spend by a tag/,
  },
  'a table of Delta Lake': {
    files: { 'table/part-0.csv': BILL, 'table/_delta_log/00000000000000000000.json': '{}' },
    problem: /a table of Delta Lake.*export its current rows/,
  },
  'a cluster without a name': {
    kind: 'opencost',
    files: {
      'allocations.csv': allocations(
        ALLOCATIONS.replace('Cluster,', ''),
        (day) => `${day},shop,deployment,api,6`,
      ),
    },
    problem: /rows name no cluster: set options.cluster/,
  },
  'a cluster without its nodes': {
    kind: 'opencost',
    files: { 'allocations.csv': allocations(ALLOCATIONS, (day) => `${day},prod,shop,deployment,api,6`) },
    warning: /the nodes of the clusters are not known.* set options.assets_location/,
  },
  'usage of AI tools without a repository': {
    kind: 'ai_tools',
    files: { 'spend.csv': allocations('day,tool,cost', (day) => `${day},copilot,4`) },
    second: allocations('day,tool,repository,usage', (day) => `${day},copilot,,100`),
    problem: /no row of the usage names a repository/,
  },
});

const USED = {
  BilledCost: '',
  BillingAccountId: '',
  BillingCurrency: '',
  BillingPeriodStart: '',
  ProviderName: '',
  ServiceCategory: '',
  ServiceName: '',
  SubAccountId: '',
};

/** Sources in which nothing is wrong. */
export const soundSetUps = (): Record<string, SetUp> => ({
  'a bill of two accounts': { files: { 'bill.csv': BILL } },
  'a file for each month': {
    files: {
      '2025-12.csv': focusCsv(billLines('2025-12-01', '2025-12-31')),
      '2026-01.csv': focusCsv(billLines('2026-01-01', '2026-01-31')),
      '2026-02.csv': focusCsv(billLines('2026-02-01', '2026-02-06')),
    },
  },
  'an export of Azure at the scope of the billing account': {
    files: {
      '20260101-20260206/run/manifest.json': manifest(
        'run',
        '/providers/Microsoft.Billing/billingAccounts/1',
      ),
      '20260101-20260206/run/part_0.csv': focusCsv(subscription('s1', '10')),
    },
  },
  'a cluster with its nodes': {
    kind: 'opencost',
    files: { 'allocations.csv': allocations(ALLOCATIONS, (day) => `${day},prod,shop,deployment,api,6`) },
    second: assets('prod'),
  },
  hosts: {
    kind: 'hosts',
    files: { 'hosts.csv': allocations('day,host,service,cost', (day) => `${day},db-1,postgres,3`) },
  },
  'AI tools': {
    kind: 'ai_tools',
    files: { 'spend.csv': allocations('day,tool,cost', (day) => `${day},copilot,4`) },
    second: allocations('day,tool,repository,usage', (day) => `${day},copilot,github.com/acme/web,100`),
  },
});
