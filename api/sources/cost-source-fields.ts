import { z } from 'zod';
import type { CostSource, SourceKind } from '../../warehouse/sources/cost-sources.ts';
import { normalText } from '../../domain/shared/normal-text.ts';
import { currency, day, name } from '../http/fields.ts';
import { invalidInput } from '../http/invalid-input.ts';

const FILES = 'expected a path, glob or URI of CSV or Parquet files';

const locationOf = (expected: string) =>
  z
    .string({ error: expected })
    .min(1, { error: expected })
    .max(2000, { error: 'expected at most 2000 characters' });

const CLUSTER = 'expected a text of 1 to 200 characters, the cluster of rows that name none';
const COST_COLUMNS = ['EffectiveCost', 'BilledCost'] as const;
const cluster = z
  .string({ error: CLUSTER })
  .overwrite(normalText)
  .min(1, { error: CLUSTER })
  .max(200, { error: CLUSTER });
const assetsLocation = locationOf(`${FILES} with the assets of the clusters`);
const usageLocation = locationOf(`${FILES} with the usage by repository`);

const ON_BILL = ['auto', 'always', 'never'] as const;
const onBill = z
  .enum(ON_BILL)
  .optional()
  .describe(
    'Whether machines without a bill line are on a connected bill: always, never, or not known (auto, the default), so that they hold months back',
  );

/** Options of FOCUS: the column with the cost. */
export const focusOptions = z.strictObject({
  cost_column: z.enum(COST_COLUMNS).default('EffectiveCost'),
});

/** Options of OpenCost: the cluster of rows without one, and exports of its assets if no API has them. */
export const openCostOptions = z.strictObject({
  cluster: cluster.optional(),
  assets_location: assetsLocation.optional(),
  on_bill: onBill,
});

/** Options of hosts: whether machines without a bill line are on a bill. */
export const hostsOptions = z.strictObject({ on_bill: onBill });

/** Options of AI tools. `location` has the spend, and `usage_location` the usage by repository. */
export const aiToolsOptions = z.strictObject({ usage_location: usageLocation });

const startsOn = day
  .nullable()
  .describe('The source had no spend before this day, so that earlier days are a known 0; null: not known');

const newSourceOf = <Kind extends CostSource['kind'], Options extends z.ZodType>(
  id: `New${string}Source`,
  kind: Kind,
  options: Options,
  location: string = FILES,
) =>
  z
    .strictObject({
      name,
      kind: z.literal(kind),
      location: locationOf(location),
      currency: currency.nullish(),
      options,
      schedule_paused: z.boolean().default(false),
      starts_on: startsOn.default(null),
    })
    .meta({ id });

/** A new source shows the default at once. */
const NEW_ON_BILL = { on_bill: onBill.default('auto') };

/** The body that creates a cost source, by kind. */
export const newCostSource = z.discriminatedUnion(
  'kind',
  [
    newSourceOf('NewFocusSource', 'focus', focusOptions.default({ cost_column: 'EffectiveCost' })),
    newSourceOf(
      'NewOpenCostSource',
      'opencost',
      openCostOptions.extend(NEW_ON_BILL).default({ on_bill: 'auto' }),
      `${FILES}, or the base URL of an OpenCost API`,
    ),
    newSourceOf('NewHostsSource', 'hosts', hostsOptions.extend(NEW_ON_BILL).default({ on_bill: 'auto' })),
    // Without options, the error names the field that they lack.
    newSourceOf(
      'NewAiToolsSource',
      'ai_tools',
      z.preprocess((options) => (options === undefined ? {} : options), aiToolsOptions),
    ),
  ],
  {
    error: ({ input }) =>
      typeof input === 'object' ? 'expected "focus", "opencost", "hosts" or "ai_tools"' : undefined,
  },
);

/** The body that changes a cost source. Its options replace the old ones. The kind decides which options there are. */
export const costSourceChanges = z.strictObject({
  name: name.optional(),
  location: locationOf(FILES).optional(),
  currency: currency.nullish(),
  options: z
    .strictObject({
      cost_column: z.enum(COST_COLUMNS).optional(),
      cluster: cluster.optional(),
      assets_location: assetsLocation.optional(),
      usage_location: usageLocation.optional(),
      on_bill: onBill,
    })
    .optional()
    .describe(
      'focus: cost_column; opencost: cluster, assets_location, on_bill; hosts: on_bill; ai_tools: usage_location. The kind cannot change.',
    ),
  schedule_paused: z.boolean().optional(),
  starts_on: startsOn.optional(),
});

const OPTIONS_OF_KIND = {
  focus: focusOptions,
  opencost: openCostOptions,
  hosts: hostsOptions,
  ai_tools: aiToolsOptions,
} as const;

/** Returns options as those of a kind. Throws `invalid`, with the field that is missing or unknown. */
export function optionsOf(kind: CostSource['kind'], options: unknown): SourceKind['options'] {
  const input = { options };
  const parsed = z.object({ options: OPTIONS_OF_KIND[kind] }).safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error, input, `body: the source is of kind ${kind}`);
  return parsed.data.options;
}
