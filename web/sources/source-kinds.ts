import type { CostSource } from './sources-queries.ts';

export type SourceKind = CostSource['kind'];

/** What is filled in about a source, as far as it decides which options there are. */
export interface OptionsOfSource {
  location: string;
  options: Readonly<Record<string, string>>;
}

/** An option of a kind, as people fill it in and read it. */
export interface OptionField {
  /** Its name in the API. One of an object has both names, as `columns/cost`. */
  name: string;
  label: string;
  description?: string;
  placeholder?: string;
  /** What can be chosen, in words. The first is that of a new source. Without choices it is a text. */
  choices?: Readonly<Record<string, string>>;
  /** The choice that stands for a source without the option. */
  noneIs?: string;
  isNumber?: true;
  /** Whether most new sources need it. */
  isUsual?: true;
  /** Whether a source must have it. Without this it need not. */
  isRequired?: (source: OptionsOfSource) => boolean;
  /** Whether a source can have it. Without this every source of the kind can. */
  isFor?: (source: OptionsOfSource) => boolean;
  /** What holds for a source without the option. */
  without?: string;
}

interface KindWords {
  label: string;
  /** Where its files come from. */
  location: string;
  options: readonly OptionField[];
}

const always = (): boolean => true;

const isTable = ({ location }: OptionsOfSource): boolean => /^\s*bigquery:\/\//i.test(location);

const COST_COLUMN: OptionField = {
  name: 'cost_column',
  label: 'Cost column',
  description:
    'EffectiveCost spreads commitments over the days that use them. BilledCost is what is invoiced.',
  choices: { EffectiveCost: 'EffectiveCost', BilledCost: 'BilledCost' },
};

const MOST_BYTES: OptionField = {
  name: 'max_bytes',
  label: 'Most bytes of a query',
  description: 'BigQuery refuses a query that reads more, and charges nothing.',
  isNumber: true,
  isFor: isTable,
  without: '10 GB',
};

const KUBERNETES_LABELS: OptionField = {
  name: 'kubernetes',
  label: 'GKE cost allocation',
  choices: { none: 'Noted only', labels: 'Namespaces of clusters without OpenCost' },
  noneIs: 'none',
  isFor: isTable,
};

const ON_BILL: OptionField = {
  name: 'on_bill',
  label: 'Machines without a bill line',
  description: 'A bill can have a machine under another name. Then its cost would count twice.',
  choices: {
    auto: 'Not known: hold months back',
    always: 'On a connected bill',
    never: 'On no bill',
  },
};

const column = (name: string, label: string, more: Partial<OptionField> = {}): OptionField => ({
  name: `columns/${name}`,
  label: `Column of the ${label}`,
  without: 'None',
  ...more,
});

const forAll = (name: string, label: string, more: Partial<OptionField>): OptionField => ({
  name: `defaults/${name}`,
  label,
  isUsual: true,
  without: 'As the rows name it',
  ...more,
});

const USUAL = { isUsual: true } as const;

const isOfVendor = ({ options }: OptionsOfSource): boolean => (options['vendor'] ?? 'none') !== 'none';

/** What the kinds of sources and their options are called. */
export const SOURCE_KINDS: Readonly<Record<SourceKind, KindWords>> = {
  focus: {
    label: 'Cloud bill (FOCUS)',
    location: 'A path, glob or URI of FOCUS exports, as CSV or Parquet files, or a table of BigQuery.',
    options: [COST_COLUMN, MOST_BYTES, KUBERNETES_LABELS],
  },
  aws_cur: {
    label: 'AWS Cost and Usage Report',
    location: 'A path, glob or URI of the report (CUR 2.0 or older).',
    options: [COST_COLUMN],
  },
  azure_cost: {
    label: 'Azure cost details',
    location: 'A path, glob or URI of the export, amortised or actual.',
    options: [COST_COLUMN],
  },
  gcp_billing: {
    label: 'Google Cloud usage cost',
    location:
      'The usage cost table, as bigquery://project.dataset.table, or its exports as CSV or Parquet files.',
    options: [COST_COLUMN, MOST_BYTES, KUBERNETES_LABELS],
  },
  custom: {
    label: 'Another bill (own columns)',
    location: 'A path, glob or URI of CSV or Parquet files of any vendor.',
    options: [
      column('day', 'day', { isRequired: always, description: 'Days, instants, or months.' }),
      {
        name: 'day_format',
        label: 'Days with slashes',
        description: 'How a day such as 01/02/2026 is read.',
        choices: { none: 'There are none', 'MM/DD/YYYY': 'MM/DD/YYYY', 'DD/MM/YYYY': 'DD/MM/YYYY' },
        noneIs: 'none',
        isUsual: true,
      },
      column('cost', 'cost', { isRequired: always }),
      column('account', 'account', USUAL),
      column('service', 'service', USUAL),
      forAll('provider', 'Provider', {
        placeholder: 'Datadog',
        description: 'The vendor of rows that name none.',
      }),
      forAll('account', 'Account', {
        placeholder: 'acme',
        description: 'The account of rows that name none.',
      }),
      forAll('currency', 'Currency of rows that name none', {
        description: 'By default the organisation’s.',
        without: 'The organisation’s',
      }),
      column('provider', 'provider'),
      column('account_name', 'account’s name'),
      column('currency', 'currency'),
      column('resource', 'resource'),
      column('resource_name', 'resource’s name'),
      column('zone', 'resource’s zone'),
      column('resource_group', 'resource group'),
      column('tags', 'tags', { description: 'A JSON object.' }),
      column('last_day', 'last day', { description: 'Of charges that are spread over days.' }),
      column('end', 'end', { description: 'Exclusive, in place of the last day.' }),
      column('billing_period', 'billing period', { description: 'By default the month of the day.' }),
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
        isUsual: true,
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
        label: 'Vendor',
        choices: { none: 'None: files', github: 'GitHub', anthropic: 'Anthropic', cursor: 'Cursor' },
        noneIs: 'none',
      },
      {
        name: 'usage_location',
        label: 'Location of usage',
        description: 'CSV or Parquet files with the usage by day, tool and repository.',
        isUsual: true,
        isRequired: (source) => !isOfVendor(source) && (source.options['repository_attribute'] ?? '') === '',
        without: 'None',
      },
      {
        name: 'repository_attribute',
        label: 'Attribute of the repository',
        description: 'The attribute that names the repository in usage that programs send by OpenTelemetry.',
        without: 'None',
      },
    ],
  },
};

/** Returns the fields of a kind's options that a source can have. */
export const optionsOf = (kind: SourceKind, source: OptionsOfSource): readonly OptionField[] =>
  SOURCE_KINDS[kind].options.filter(({ isFor = always }) => isFor(source));

/** Returns the value of an option: that of the source, or of a new source without one; empty without a value. */
export function optionValue({ name, choices = {}, noneIs }: OptionField, source?: CostSource): string {
  const set = source === undefined ? undefined : valueAt(source.options, name.split('/'));
  return set ?? (source === undefined ? undefined : noneIs) ?? Object.keys(choices)[0] ?? '';
}

function valueAt(options: unknown, [first, ...rest]: readonly string[]): string | undefined {
  if (first === undefined)
    return typeof options === 'string' || typeof options === 'number' ? String(options) : undefined;
  return typeof options === 'object' && options !== null
    ? valueAt(Reflect.get(options, first), rest)
    : undefined;
}
