import { addDays, addMonths, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import type { ExportedSource } from './exported-source.ts';
import { dayLine, focusCsv, type FocusLine } from './focus-export.ts';

/** The columns of the versions of FOCUS, each in the order of the standard. */
const FOCUS_1_0 =
  'AvailabilityZone BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargeFrequency ChargePeriodEnd ChargePeriodStart CommitmentDiscountCategory CommitmentDiscountId CommitmentDiscountName CommitmentDiscountStatus CommitmentDiscountType ConsumedQuantity ConsumedUnit ContractedCost ContractedUnitPrice EffectiveCost InvoiceIssuerName ListCost ListUnitPrice PricingCategory PricingQuantity PricingUnit ProviderName PublisherName RegionId RegionName ResourceId ResourceName ResourceType ServiceCategory ServiceName SkuId SkuPriceId SubAccountId SubAccountName Tags';
const sorted = (...columns: string[]): string =>
  columns
    .flatMap((some) => some.split(' '))
    .sort()
    .join(' ');
const FOCUS_1_1 = sorted(
  FOCUS_1_0,
  'CapacityReservationId CapacityReservationStatus CommitmentDiscountQuantity CommitmentDiscountUnit ServiceSubcategory SkuMeter SkuPriceDetails',
);
const FOCUS_1_2 = sorted(
  FOCUS_1_1,
  'BillingAccountType InvoiceId PricingCurrency PricingCurrencyContractedUnitPrice PricingCurrencyEffectiveCost PricingCurrencyListUnitPrice SubAccountType',
);
const FOCUS_1_3 = sorted(
  FOCUS_1_2.replace('ProviderName ', '').replace('PublisherName ', ''),
  'AllocatedMethodDetails AllocatedMethodId AllocatedResourceId AllocatedResourceName AllocatedTags ContractApplied HostProviderName ServiceProviderName',
);

/** Exports of November to January in which nothing is wrong, by what is special about them. */
export const soundExports = (): Record<string, ExportedSource[]> => ({
  'one account, a row for each day': [bill(daily('10'))],
  'a row for each hour': [bill(DAYS.flatMap((day) => hourly(day)))],
  'an account without weekends': [bill([...daily('10'), ...on(WEEKDAYS, '3', BUILD)])],
  'an account with weekends only': [bill([...daily('10'), ...on(WEEKENDS, '3', BUILD)])],
  'support once a month': [bill([...daily('10'), ...on(FIRSTS, '100', { SubAccountId: '9999' })])],
  'a licence once a quarter': [bill([...daily('10'), ...on(['2025-11-05'], '900', BUILD)])],
  'an account with spend on three days': [
    bill([...daily('10'), ...on(['2025-11-03', '2025-12-19', '2026-01-08'], '2', BUILD)]),
  ],
  'an account that begins in January': [
    bill([
      ...daily('10'),
      ...on(
        DAYS.filter((day) => day >= '2026-01-12'),
        '4',
        BUILD,
      ),
    ]),
  ],
  'two clouds in one file': [bill([...daily('10'), ...daily('5', AZURE)])],
  'two clouds in two sources': [bill(daily('10')), bill(daily('5', AZURE))],
  'two accounts with equal prices': [bill([...daily('10'), ...daily('10', BUILD)])],
  'two services with equal prices in two files': [
    { kind: 'focus', files: { 'ec2.csv': focusCsv(daily('10')), 'rds.csv': focusCsv(daily('10', RDS)) } },
  ],
  'one account split by service over two sources': [bill(daily('10')), bill(daily('7', RDS))],
  'a file for each month': [{ kind: 'focus', files: byMonth(daily('10')) }],
  'compressed files': [
    {
      kind: 'focus',
      files: Object.fromEntries(
        Object.entries(byMonth(daily('10'))).map(([name, text]) => [`${name}.gz`, text]),
      ),
    },
  ],
  'credits on each day': [bill([...daily('10'), ...daily('-1', { ChargeCategory: 'Credit' })])],
  'one refund': [bill([...daily('10'), ...on(['2026-01-20'], '-55.5', { ChargeCategory: 'Credit' })])],
  'tax on the last day': [
    bill([...daily('10'), ...on(LASTS, '60', { ChargeCategory: 'Tax', ServiceCategory: 'Other' })]),
  ],
  'a correction in the next bill': [
    bill([
      ...daily('10'),
      {
        ...dayLine('2025-12-30', '-2'),
        BillingPeriodStart: '2026-01-01T00:00:00Z',
        ChargeClass: 'Correction',
      },
    ]),
  ],
  'a commitment with its unused part': [bill([...daily('10'), ...commitment()])],
  'growing spend': [bill(DAYS.map((day, place) => dayLine(day, (10 + place / 7).toFixed(6))))],
  'spend of every day in lower-case columns': [
    { kind: 'focus', files: { 'bill.csv': lowerHeader(focusCsv(daily('10'))) } },
  ],
  'all columns of FOCUS 1.0': [billWith(FOCUS_1_0, daily('10'))],
  'all columns of FOCUS 1.1': [billWith(FOCUS_1_1, daily('10'))],
  'all columns of FOCUS 1.2': [billWith(FOCUS_1_2, daily('10'))],
  'all columns of FOCUS 1.3': [
    billWith(FOCUS_1_3, daily('10', { ServiceProviderName: 'Amazon Web Services' })),
  ],
  'a service with one charge for each whole month': [bill([...daily('10'), ...MONTHS.map(wholeMonth)])],
  'a source with one charge for each whole month': [bill(daily('10')), bill(MONTHS.map(wholeMonth))],
  'a year of licences paid at once, used each month': [
    bill([...daily('10'), YEAR_PAID, ...MONTHS.map(wholeMonth)]),
  ],
  'a cluster whose machines change each day': [
    bill(DAYS.flatMap((day) => [machine(day, nodeId(day), '6'), dayLine(day, '10')])),
    cluster(
      DAYS,
      DAYS.map((day) => `${day},prod,Node,${nodeId(day)},6`),
    ),
  ],
  'a cluster with machines and disks': [
    bill(DAYS.flatMap((day) => [machine(day, 'i-0123456789abcdef0', '6'), disk(day, '2')])),
    cluster(
      DAYS,
      DAYS.flatMap((day) => [
        `${day},prod,Node,aws:///eu-west-1a/i-0123456789abcdef0,6`,
        `${day},prod,Disk,vol-0123456789abcdef0,2`,
      ]),
    ),
  ],
  'a cluster without a bill': [
    cluster(
      DAYS,
      DAYS.map((day) => `${day},prod,Node,rack-7,6`),
    ),
  ],
  'a cluster of another cloud than the bill': [
    bill(daily('10', AZURE)),
    cluster(
      DAYS,
      DAYS.map((day) => `${day},prod,Node,aws:///eu-west-1a/i-0123456789abcdef0,6`),
    ),
  ],
  'hosts in the own cellar': [
    bill(daily('10')),
    hosts(DAYS.flatMap((day) => [`${day},db-1,postgres,4`, `${day},db-1,,1`])),
  ],
  'two disks of each host': [
    hosts(
      DAYS.flatMap((day) => [
        `${day},db-1,disk a,4`,
        `${day},db-1,disk b,4`,
        `${day},db-2,disk,1`,
        `${day},db-2,disk,2`,
      ]),
    ),
  ],
  'two machines without names, with a disk each': [
    bill([...daily('10'), ...daily('10'), ...daily('2', RDS), ...daily('2', RDS)]),
  ],
  'three files with parts of an account': [
    {
      kind: 'focus',
      files: Object.fromEntries(['2', '3', '5'].map((cost) => [`part-${cost}.csv`, focusCsv(daily(cost))])),
    },
  ],
  'two equal pods without names': [
    {
      kind: 'opencost',
      files: {
        'allocations.csv': table(
          'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost',
          DAYS.flatMap((day) => Array<string>(2).fill(`${day},prod,shop,deployment,api,3.5`)),
        ),
      },
      second: table('day,cluster,kind,provider_id,cost', []),
    },
  ],
  'three AI tools, each with two seats': [
    tools(
      ['copilot', 'cursor', 'codex'].flatMap((tool) =>
        DAYS.flatMap((day) => Array<string>(2).fill(`${day},${tool},1,seat`)),
      ),
      ['copilot', 'cursor', 'codex'].flatMap((tool) =>
        DAYS.map((day) => `${day},${tool},github.com/acme/web,7`),
      ),
    ),
  ],
  'a host on the bill': [
    bill(DAYS.flatMap((day) => [machine(day, 'i-0fedcba9876543210', '5'), dayLine(day, '10')])),
    hosts(
      DAYS.map((day) => `${day},db-1,postgres,5,i-0fedcba9876543210`),
      'day,host,service,cost,machine_id',
    ),
  ],
  'AI tools on weekdays, with seats on the first': [
    tools(
      [...FIRSTS.map((day) => `${day},copilot,190,seat`), ...WEEKDAYS.map((day) => `${day},copilot,3,usage`)],
      [...FIRSTS, ...WEEKDAYS].map((day) => `${day},copilot,github.com/acme/web,7`),
    ),
  ],
  'a bill in the time of China, a row for each day': [bill(DAYS.map((day) => chinese(day)))],
  'a bill in the time of China, a row for each hour': [bill(DAYS.flatMap((day) => chineseHours(day)))],
  'a bill in the time of California, a row for each day': [bill(DAYS.map((day) => californian(day)))],
  'spend on weekdays only, without a file of February': [
    bill(
      on(
        WEEKDAYS.filter((day) => day < '2026-02'),
        '10',
      ),
    ),
  ],
  'AI tools on weekdays only, without a file of February': [
    tools(
      [
        '2025-11-01,copilot,190,seat',
        ...WEEKDAYS.filter((day) => day < '2026-02').map((day) => `${day},copilot,3,usage`),
      ],
      ['2025-11-01', ...WEEKDAYS].map((day) => `${day},copilot,github.com/acme/web,7`),
    ),
  ],
  'two AI tools': [
    tools(
      DAYS.flatMap((day) => [`${day},copilot,3,usage`, `${day},cursor,2,usage`]),
      DAYS.flatMap((day) => [`${day},copilot,github.com/acme/web,7`, `${day},cursor,github.com/acme/api,2`]),
    ),
  ],
});

const LAST_DAY = '2026-02-06';
const DAYS: Day[] = [];
for (let day = '2025-11-01'; day <= LAST_DAY; day = addDays(day, 1)) DAYS.push(day);

const isWeekend = (day: Day): boolean => [0, 6].includes(new Date(day).getUTCDay());
const WEEKDAYS = DAYS.filter((day) => !isWeekend(day));
const WEEKENDS = DAYS.filter(isWeekend);
const FIRSTS = DAYS.filter((day) => day.endsWith('-01'));
const LASTS = DAYS.filter((day) => addDays(day, 1).endsWith('-01'));

const MONTHS = [...new Set(DAYS.map(monthOf))];

const BUILD: FocusLine = { SubAccountId: '2222', SubAccountName: 'Build' };
const AZURE: FocusLine = { ProviderName: 'Microsoft', SubAccountId: 'sub-1', SubAccountName: 'Back office' };
const RDS: FocusLine = { ServiceName: 'Amazon EC2', ServiceCategory: 'Compute' };

const on = (days: readonly Day[], cost: string, more: FocusLine = {}): FocusLine[] =>
  days.map((day) => dayLine(day, cost, more));
const daily = (cost: string, more: FocusLine = {}): FocusLine[] => on(DAYS, cost, more);
const hourly = (day: Day): FocusLine[] =>
  Array.from({ length: 24 }, (_, hour) => ({
    ...dayLine(day, '0.25'),
    ChargePeriodStart: `${day}T${String(hour).padStart(2, '0')}:00:00Z`,
    ChargePeriodEnd:
      hour === 23 ? `${addDays(day, 1)}T00:00:00Z` : `${day}T${String(hour + 1).padStart(2, '0')}:00:00Z`,
  }));

/** A local day with an offset, in a bill of its local month. */
const localDay = (day: Day, offset: string): FocusLine =>
  dayLine(day, '10', {
    ChargePeriodStart: `${day}T00:00:00${offset}`,
    ChargePeriodEnd: `${addDays(day, 1)}T00:00:00${offset}`,
    BillingPeriodStart: `${monthOf(day)}-01T00:00:00${offset}`,
    BillingPeriodEnd: `${addMonths(monthOf(day), 1)}-01T00:00:00${offset}`,
  });
const chinese = (day: Day): FocusLine => localDay(day, '+08:00');
const californian = (day: Day): FocusLine => localDay(day, '-08:00');
const chineseHours = (day: Day): FocusLine[] =>
  hourly(day).map((line) => ({
    ...line,
    ...Object.fromEntries(
      [
        ...['ChargePeriodStart', 'ChargePeriodEnd'].map((column) => [column, line[column] ?? '']),
        ['BillingPeriodStart', `${monthOf(day)}-01T00:00:00Z`],
        ['BillingPeriodEnd', `${addMonths(monthOf(day), 1)}-01T00:00:00Z`],
      ].map(([column = '', time = '']) => [column, eightHoursBefore(time)]),
    ),
  }));
const eightHoursBefore = (time: string): string =>
  new Date(Date.parse(time) - 8 * 3_600_000).toISOString().replace('.000', '');

const SAAS: FocusLine = {
  ProviderName: 'Acme',
  PublisherName: 'Acme',
  SubAccountId: '',
  ServiceName: 'Acme DB',
};

/** The charge of a whole month, as vendors of software bill it. */
const wholeMonth = (month: Month): FocusLine =>
  dayLine(`${month}-01`, '48', { ...SAAS, ChargePeriodEnd: `${addMonths(month, 1)}-01T00:00:00Z` });

/** What the invoice asks for a year. Its cost comes with the use of each month. */
const YEAR_PAID: FocusLine = dayLine('2025-11-01', '0', {
  ...SAAS,
  BilledCost: '1200',
  ChargeCategory: 'Purchase',
  ChargeFrequency: 'One-Time',
  ChargePeriodEnd: '2026-11-01T00:00:00Z',
});

const nodeId = (day: Day): string => `i-${day.replaceAll('-', '').padStart(17, '0')}`;
const machine = (day: Day, id: string, cost: string): FocusLine =>
  dayLine(day, cost, {
    ServiceCategory: 'Compute',
    ServiceName: 'Amazon EC2',
    ResourceId: `arn:aws:ec2:eu-west-1:1111:instance/${id}`,
  });
const disk = (day: Day, cost: string): FocusLine =>
  dayLine(day, cost, {
    ServiceCategory: 'Storage',
    ServiceName: 'Amazon EBS',
    ResourceId: 'arn:aws:ec2:eu-west-1:1111:volume/vol-0123456789abcdef0',
  });

/** A commitment that costs 5 a day: 4 used, 1 not. Its purchase is on the invoice alone. */
function commitment(): FocusLine[] {
  const plan = { CommitmentDiscountId: 'arn:aws:savingsplans::1111:savingsplan/1', BilledCost: '0' };
  return [
    ...DAYS.flatMap((day) => [
      dayLine(day, '4', { ...plan, CommitmentDiscountStatus: 'Used' }),
      dayLine(day, '1', { ...plan, CommitmentDiscountStatus: 'Unused' }),
    ]),
    ...FIRSTS.map((day) =>
      dayLine(day, '0', {
        ...plan,
        BilledCost: '150',
        ChargeCategory: 'Purchase',
        ChargeFrequency: 'Recurring',
      }),
    ),
  ];
}

const bill = (lines: readonly FocusLine[]): ExportedSource => ({
  kind: 'focus',
  files: { 'bill.csv': focusCsv(lines) },
});

const billWith = (columns: string, lines: readonly FocusLine[]): ExportedSource => ({
  kind: 'focus',
  files: { 'bill.csv': focusCsv(lines, columns.split(' ')) },
});

const byMonth = (lines: readonly FocusLine[]): Record<string, string> =>
  Object.fromEntries(
    MONTHS.map((month) => [
      `${month}.csv`,
      focusCsv(lines.filter(({ ChargePeriodStart }) => ChargePeriodStart?.startsWith(month))),
    ]),
  );

const lowerHeader = (text: string): string => text.replace(/^.*/, (header) => header.toLowerCase());

const table = (header: string, rows: readonly string[]): string => [header, ...rows, ''].join('\n');

const cluster = (days: readonly Day[], assets: readonly string[]): ExportedSource => ({
  kind: 'opencost',
  files: {
    'allocations.csv': table(
      'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost',
      days.flatMap((day) => [`${day},prod,shop,deployment,api,3.5`, `${day},prod,__idle__,,,1.5`]),
    ),
  },
  second: table('day,cluster,kind,provider_id,cost', assets),
});

const hosts = (rows: readonly string[], header = 'day,host,service,cost'): ExportedSource => ({
  kind: 'hosts',
  files: { 'hosts.csv': table(header, rows) },
});

const tools = (spend: readonly string[], usage: readonly string[]): ExportedSource => ({
  kind: 'ai_tools',
  files: { 'spend.csv': table('day,tool,cost,kind', spend) },
  second: table('day,tool,repository,usage', usage),
});
