import type { CostSource } from './sources-queries.ts';

export type SourceKind = CostSource['kind'];

type OptionName<Kind extends SourceKind> = keyof Extract<CostSource, { kind: Kind }>['options'] & string;

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

/** What the kinds of sources and their options are called. */
export const SOURCE_KINDS: { [Kind in SourceKind]: KindWords<Kind> } = {
  focus: {
    label: 'Cloud bill (FOCUS)',
    location:
      'A path, glob or URI of FOCUS exports, as CSV or Parquet files, or bigquery://project.dataset.table.',
    options: [COST_COLUMN, ...OF_TABLES],
  },
  gcp_billing: {
    label: 'Cloud bill (Google Cloud usage cost)',
    location: 'bigquery://project.dataset.table: the table of standard or detailed usage cost.',
    options: [COST_COLUMN, ...OF_TABLES],
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
    location: 'A path, glob or URI of CSV or Parquet files with the spend by day and tool.',
    options: [
      {
        name: 'usage_location',
        label: 'Location of usage',
        description: 'CSV or Parquet files with the usage by day, tool and repository.',
        isRequired: true,
      },
    ],
  },
};

/** Returns the fields of a kind's options. */
export const optionsOf = (kind: SourceKind): readonly OptionField[] => SOURCE_KINDS[kind].options;

/** Returns the value of an option: that of the source, or of a new source without one; empty without a value. */
export function optionValue({ name, choices = {} }: OptionField, source?: CostSource): string {
  const set: Readonly<Record<string, string | number | undefined>> = source?.options ?? {};
  return set[name]?.toString() ?? Object.keys(choices)[0] ?? '';
}
