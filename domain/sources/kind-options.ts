import { z } from 'zod';
import { MOST_BYTES } from '../shared/bigquery-query.ts';
import { NO_CONTROL_CHARACTERS, ONE_LINE } from '../shared/text/control-characters.ts';
import { normalText } from '../shared/text/normal-text.ts';
import { checkCustom, CUSTOM_OPTIONS } from './custom-bill.ts';
import type { Kind } from './kinds.ts';
import { REPOSITORY_ATTRIBUTE } from './otlp/usage-points.ts';
import { VENDORS, type Vendor } from './vendors/vendors.ts';

const FILES = 'expected a path, glob or URI of CSV or Parquet files';

/** A location, and what it must be in messages. */
export const locationOf = (expected = FILES) =>
  z
    .string({ error: expected })
    .min(1, { error: expected })
    .max(2000, { error: 'expected at most 2000 characters' });

const CLUSTER = 'expected a text of 1 to 200 characters, the cluster of rows that name none';

/** The cost: amortised by default, invoiced by option. */
const costColumn = z.enum(['EffectiveCost', 'BilledCost']);

/** The cluster of rows that name no cluster. */
const cluster = z
  .string({ error: CLUSTER })
  .overwrite(normalText)
  .min(1, { error: CLUSTER })
  .max(200, { error: CLUSTER });

/** What holds for options that a source was not given. */
const BILL_DEFAULTS = { cost_column: 'EffectiveCost' } as const;
const ON_BILL_DEFAULTS = { on_bill: 'auto' } as const;

const onBill = z
  .enum(['auto', 'always', 'never'])
  .optional()
  .describe(
    'Whether machines without a bill line are on a connected bill: always, never, or not known (auto, the default), so that they hold months back',
  );

/** BigQuery bills at least this much for a query. */
const FEWEST_BYTES = 10 * 2 ** 20;
const BYTES = `expected a whole number of bytes from ${FEWEST_BYTES} to ${2 ** 50}`;

/** The options of bills in tables of BigQuery. */
const ofTables = {
  max_bytes: z
    .int({ error: BYTES })
    .min(FEWEST_BYTES, { error: BYTES })
    .max(2 ** 50, { error: BYTES })
    .optional()
    .describe(
      `The most bytes that each query of a table may process and bill; without it ${MOST_BYTES} (10 GB)`,
    ),
  kubernetes: z
    .enum(['labels'])
    .optional()
    .describe(
      "Whether lines of a table with the labels of GKE's cost allocation are spend of their cluster and namespace; without it they are cloud spend",
    ),
};

/** The options of every cloud bill. */
const bill = z.strictObject({ cost_column: costColumn.default(BILL_DEFAULTS.cost_column) });

/** The options of a bill of any other vendor. */
const custom = bill.extend(CUSTOM_OPTIONS).superRefine(checkCustom);

/** The options of bills that can lie in a table. */
const tableBill = bill.extend(ofTables);

const openCost = z.strictObject({
  cluster: cluster.optional(),
  assets_location: locationOf(`${FILES} with the assets of the clusters`).optional(),
  on_bill: onBill,
});

const hosts = z.strictObject({ on_bill: onBill });

const ATTRIBUTE = 'expected a text of 1 to 200 characters, the name of an attribute';

const aiTools = z
  .strictObject({
    usage_location: locationOf(`${FILES} with the usage by repository`).optional(),
    vendor: z
      .enum(Object.keys(VENDORS) as [Vendor, ...Vendor[]])
      .optional()
      .describe('Whose API the location is; without it, the location has files with the spend'),
    repository_attribute: z
      .string({ error: ATTRIBUTE })
      .min(1, { error: ATTRIBUTE })
      .max(200, { error: ATTRIBUTE })
      .regex(ONE_LINE, { error: NO_CONTROL_CHARACTERS })
      .optional()
      .describe(
        `The attribute that names the repository of usage that programs send by OpenTelemetry; ${REPOSITORY_ATTRIBUTE} without it`,
      ),
  })
  .refine(
    ({ usage_location: files, vendor, repository_attribute: sent }) =>
      (files ?? vendor ?? sent) !== undefined,
    {
      path: ['usage_location'],
      error: `${FILES} with the usage by repository, or repository_attribute if programs send it`,
    },
  );

/** A cloud bill without options of its own. */
const billOf = <Name extends string>(name: Name) => ({
  name,
  options: bill,
  ofNew: bill.default(BILL_DEFAULTS),
  defaults: BILL_DEFAULTS,
  location: FILES,
});

/** A cloud bill that can lie in a table of BigQuery. */
const tableBillOf = <Name extends string>(name: Name) => ({
  ...billOf(name),
  options: tableBill,
  ofNew: tableBill.default(BILL_DEFAULTS),
  location: `${FILES}, or a table of BigQuery`,
});

/** A new source shows the default at once. */
const NEW_ON_BILL = { on_bill: onBill.default(ON_BILL_DEFAULTS.on_bill) };

/**
 * Each kind's name in generated clients, its options, and what its location must be. `ofNew` are the options of a new source.
 */
export const KIND_OPTIONS = {
  focus: tableBillOf('Focus'),
  aws_cur: billOf('AwsCur'),
  azure_cost: billOf('AzureCost'),
  gcp_billing: tableBillOf('GcpBilling'),
  custom: {
    name: 'Custom',
    options: custom,
    // Without options, the error names the field that they lack.
    ofNew: z.preprocess((options) => (options === undefined ? {} : options), custom),
    defaults: BILL_DEFAULTS,
    location: FILES,
  },
  opencost: {
    name: 'OpenCost',
    options: openCost,
    ofNew: openCost.extend(NEW_ON_BILL).default(ON_BILL_DEFAULTS),
    defaults: ON_BILL_DEFAULTS,
    location: `${FILES}, or the base URL of an OpenCost API`,
  },
  hosts: {
    name: 'Hosts',
    options: hosts,
    ofNew: hosts.extend(NEW_ON_BILL).default(ON_BILL_DEFAULTS),
    defaults: ON_BILL_DEFAULTS,
    location: FILES,
  },
  ai_tools: {
    name: 'AiTools',
    options: aiTools,
    // Without options, the error names the field that they lack.
    ofNew: z.preprocess((options) => (options === undefined ? {} : options), aiTools),
    defaults: {},
    location: `${FILES}, or what is read from a vendor`,
  },
} as const satisfies Record<
  Kind,
  { name: string; options: z.ZodObject; ofNew: z.ZodType; defaults: object; location: string }
>;

export type OptionsOf<K extends Kind> = z.infer<(typeof KIND_OPTIONS)[K]['options']>;
