import type { CostSource } from './sources-queries.ts';

export type SourceKind = CostSource['kind'];

type Options<Kind extends SourceKind> = Extract<CostSource, { kind: Kind }>['options'];

/** An option, or a field of one: `columns.cost`. */
type OptionName<Kind extends SourceKind> = Kind extends 'custom'
  ? 'cost_column' | 'day_format' | `${'columns' | 'defaults'}.${string}`
  : keyof Options<Kind> & string;

/** An option of a kind, as people fill it in and read it. */
export interface OptionField<Name extends string = string> {
  name: Name;
  label: string;
  description: string;
  /** What can be chosen, in words. The first is that of a new source. Without choices it is a text. */
  choices?: Readonly<Record<string, string>>;
  isRequired?: true;
  /** It is sent as a number. */
  isNumber?: true;
  /** What holds for a source without the option. */
  without?: string;
}

interface KindWords<Kind extends SourceKind> {
  label: string;
  /** Where its files come from. */
  location: string;
  options: readonly OptionField<OptionName<Kind>>[];
}

const ON_BILL: OptionField<'on_bill'> = {
  name: 'on_bill',
  label: 'Machines without a bill line',
  description: 'A bill can have a machine under another name. Then its cost would count twice.',
  choices: {
    auto: 'Not known: hold months back',
    always: 'On a connected bill',
    never: 'On no bill',
  },
};

const COST_COLUMN: OptionField<'cost_column'> = {
  name: 'cost_column',
  label: 'Cost column',
  description:
    'EffectiveCost spreads commitments over the days that use them. BilledCost is what is invoiced.',
  choices: { EffectiveCost: 'EffectiveCost', BilledCost: 'BilledCost' },
};

/** The options of bills in tables of BigQuery. */
const OF_TABLES: OptionField<'max_bytes' | 'kubernetes'>[] = [
  {
    name: 'max_bytes',
    label: 'Most bytes of a query',
    description: 'Of a table in BigQuery: the most bytes that each query may process and bill.',
    isNumber: true,
    without: '10737418240 (10 GB)',
  },
  {
    name: 'kubernetes',
    label: "Labels of GKE's cost allocation",
    description: 'Of a table in BigQuery: what lines are that name their cluster and namespace.',
    choices: { '': 'Cloud spend', labels: 'Kubernetes spend of their cluster and namespace' },
  },
];
const columnOf = (
  name: `columns.${string}`,
  label: string,
  description = '',
): OptionField<`columns.${string}`> => ({ name, label, description, without: 'None' });

/** What the kinds of sources and their options are called. */
export const SOURCE_KINDS: { [Kind in SourceKind]: KindWords<Kind> } = {
  focus: {
    label: 'Cloud bill (FOCUS)',
    location:
      'A path, glob or URI of FOCUS exports, as CSV or Parquet files, or bigquery://project.dataset.table.',
    options: [COST_COLUMN, ...OF_TABLES],
  },
  aws_cur: {
    label: 'AWS cost and usage report',
    location: 'A path, glob or URI of AWS cost and usage reports (CUR 2.0 or older).',
    options: [COST_COLUMN],
  },
  azure_cost: {
    label: 'Azure cost details',
    location: 'A path, glob or URI of Azure exports of amortised or actual cost.',
    options: [COST_COLUMN],
  },
  gcp_billing: {
    label: 'Google usage costs',
    location:
      "Google's usage cost table: bigquery://project.dataset.table, or a path, glob or URI of CSV or Parquet files.",
    options: [COST_COLUMN, ...OF_TABLES],
  },
  custom: {
    label: 'Bill of another vendor',
    location: 'A path, glob or URI of CSV or Parquet files of any vendor.',
    options: [
      { ...columnOf('columns.cost', 'Column of the cost'), isRequired: true },
      { ...columnOf('columns.day', 'Column of the day', 'Days, instants, or months.'), isRequired: true },
      columnOf('columns.last_day', 'Column of the last day', 'Of charges that are spread over days.'),
      columnOf('columns.end', 'Column of the end', 'Exclusive, in place of the last day.'),
      columnOf('columns.account', 'Column of the account'),
      columnOf('columns.account_name', "Column of the account's name"),
      columnOf('columns.service', 'Column of the service'),
      columnOf('columns.provider', 'Column of the provider'),
      columnOf('columns.currency', 'Column of the currency'),
      columnOf('columns.resource', 'Column of the resource'),
      columnOf('columns.resource_name', "Column of the resource's name"),
      columnOf('columns.zone', "Column of the resource's zone"),
      columnOf('columns.resource_group', 'Column of the resource group'),
      columnOf('columns.tags', 'Column of the tags', 'A JSON object.'),
      columnOf('columns.billing_period', 'Column of the billing period', 'By default the month of the day.'),
      {
        name: 'defaults.provider',
        label: 'Provider',
        description: 'The vendor of rows that name none, such as Datadog.',
        without: 'As its rows name it',
      },
      {
        name: 'defaults.account',
        label: 'Account',
        description: 'The account of rows that name none.',
        without: 'As its rows name it',
      },
      {
        name: 'defaults.currency',
        label: 'Currency of rows that name none',
        description: "By default the organisation's.",
        without: "The organisation's",
      },
      {
        name: 'day_format',
        label: 'Days with slashes',
        description: 'How a day such as 01/02/2026 is read.',
        choices: { '': 'There are none', 'MM/DD/YYYY': 'MM/DD/YYYY', 'DD/MM/YYYY': 'DD/MM/YYYY' },
      },
      COST_COLUMN,
    ],
  },
  opencost: {
    label: 'Kubernetes (OpenCost)',
    location: 'The base URL of an OpenCost API, or a path, glob or URI of its exports.',
    options: [
      {
        name: 'cluster',
        label: 'Cluster',
        description: 'The cluster of rows that name none.',
        without: 'As its rows name it',
      },
      {
        name: 'assets_location',
        label: 'Location of assets',
        description: 'Exports with the nodes, disks and load balancers, so that they are found on bills.',
        without: 'From the OpenCost API, if the location is one',
      },
      ON_BILL,
    ],
  },
  hosts: {
    label: 'Hosts',
    location: 'A path, glob or URI of CSV or Parquet files with the cost of hosts.',
    options: [ON_BILL],
  },
  ai_tools: {
    label: 'AI tools',
    location:
      'A path, glob or URI of CSV or Parquet files with the spend by day and tool, or what to read from a vendor, such as https://api.github.com/organizations/NAME.',
    options: [
      {
        name: 'vendor',
        label: 'Spend comes from',
        description: 'A vendor is read with a token, which is stored as the credentials of the source.',
        choices: {
          '': 'Files',
          github: 'GitHub (Copilot)',
          anthropic: 'Anthropic (Claude Code)',
          cursor: 'Cursor',
        },
        without: 'Files',
      },
      {
        name: 'usage_location',
        label: 'Location of usage',
        description: 'CSV or Parquet files with the usage by day, tool and repository.',
        without: 'What programs send by OpenTelemetry',
      },
      {
        name: 'repository_attribute',
        label: 'Attribute with the repository',
        description:
          'For usage that programs send by OpenTelemetry: the attribute that names the repository. Without files of usage or a vendor, it must be set.',
        without: 'vcs.repository.url.full',
      },
    ],
  },
};

/** Returns the fields of a kind's options. */
export const optionsOf = (kind: SourceKind): readonly OptionField[] => SOURCE_KINDS[kind].options;

/** Returns the value of an option: that of the source, or of a new source without one; empty without a value. */
export function optionValue({ name, choices = {} }: OptionField, source?: CostSource): string {
  const set = name
    .split('.')
    .reduce<unknown>((of, part) => (of as Record<string, unknown> | undefined)?.[part], source?.options);
  return typeof set === 'string' || typeof set === 'number' ? String(set) : (Object.keys(choices)[0] ?? '');
}
