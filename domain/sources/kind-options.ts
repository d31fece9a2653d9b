import { z } from 'zod';
import { MOST_BYTES } from '../shared/bigquery-query.ts';
import { normalText } from '../shared/text/normal-text.ts';
import type { Kind } from './kinds.ts';

const FILES = 'expected a path, glob or URI of CSV or Parquet files';
const TABLE = 'expected a table of BigQuery, as bigquery://project.dataset.table';

/** A location, and what it must be in messages. */
export const locationOf = (expected = FILES) =>
  z
    .string({ error: expected })
    .min(1, { error: expected })
    .max(2000, { error: 'expected at most 2000 characters' });

const CLUSTER = 'expected a text of 1 to 200 characters, the cluster of rows that name none';

/** The FOCUS column of the cost: amortised by default, invoiced by option. */
const costColumn = z.enum(['EffectiveCost', 'BilledCost']);

/** The cluster of rows that name no cluster. */
const cluster = z
  .string({ error: CLUSTER })
  .overwrite(normalText)
  .min(1, { error: CLUSTER })
  .max(200, { error: CLUSTER });

/** What holds for options that a source was not given. */
const FOCUS_DEFAULTS = { cost_column: 'EffectiveCost' } as const;
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

const focus = z.strictObject({ cost_column: costColumn.default(FOCUS_DEFAULTS.cost_column), ...ofTables });

const openCost = z.strictObject({
  cluster: cluster.optional(),
  assets_location: locationOf(`${FILES} with the assets of the clusters`).optional(),
  on_bill: onBill,
});

const hosts = z.strictObject({ on_bill: onBill });

const aiTools = z.strictObject({ usage_location: locationOf(`${FILES} with the usage by repository`) });

/** A new source shows the default at once. */
const NEW_ON_BILL = { on_bill: onBill.default(ON_BILL_DEFAULTS.on_bill) };

/**
 * Each kind's name in generated clients, its options, and what its location must be. `ofNew` are the options of a new source.
 */
export const KIND_OPTIONS = {
  focus: {
    name: 'Focus',
    options: focus,
    ofNew: focus.default(FOCUS_DEFAULTS),
    defaults: FOCUS_DEFAULTS,
    location: `${FILES}, or a table of BigQuery`,
  },
  gcp_billing: {
    name: 'GcpBilling',
    options: focus,
    ofNew: focus.default(FOCUS_DEFAULTS),
    defaults: FOCUS_DEFAULTS,
    location: TABLE,
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
    location: FILES,
  },
} as const satisfies Record<
  Kind,
  { name: string; options: z.ZodObject; ofNew: z.ZodType; defaults: object; location: string }
>;

export type OptionsOf<K extends Kind> = z.infer<(typeof KIND_OPTIONS)[K]['options']>;
