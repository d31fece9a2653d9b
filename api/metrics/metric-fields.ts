import { z } from 'zod';
import { PLATFORM_IDS } from '../../domain/imports/platforms.ts';
import { normalText } from '../../domain/shared/text/normal-text.ts';
import { AGGREGATIONS, FREQUENCIES, METRIC_KINDS } from '../../domain/metrics/metric.ts';
import { instant, name } from '../http/fields.ts';
import { latestMonth, monthRecord } from '../months/month-fields.ts';
import { rise } from './rise-field.ts';
import { metricPicks, spendPickRecord, warned } from '../spend/pick-fields.ts';

const countMetric = z
  .object({
    id: z.string(),
    name: z.string(),
    unit: z.string(),
    kind: z.literal('count'),
    aggregation: z.enum(AGGREGATIONS),
    frequency: z.enum(FREQUENCIES),
    scope: z.discriminatedUnion('type', [
      z.object({ type: z.literal('organisation') }).meta({ id: 'OrganisationScope' }),
      z.object({ type: z.literal('team'), team_id: z.string() }).meta({ id: 'TeamScope' }),
      z.object({ type: z.literal('spend'), spend: z.array(spendPickRecord) }).meta({ id: 'SpendScope' }),
    ]),
    target: z.number().nullable(),
    label_key: z.string().nullable(),
    rise: z.object({ percent: z.number(), deviations: z.number() }).nullable(),
    created_at: instant,
    import: z
      .object({ type: z.enum(PLATFORM_IDS), status: z.enum(['connected', 'paused', 'failed']) })
      .nullable(),
    latest: latestMonth.nullable(),
  })
  .meta({ id: 'Metric' });

/** A revenue metric, for admins (docs/concepts.md#revenue-and-who-sees-it). Its `label_key` and `rise` are null. */
const revenueMetric = countMetric
  .extend({
    kind: z.literal('revenue'),
    target: z.number().nullable().describe('Highest cost share in percent'),
    currency: z.string().nullable(),
    assistant_access: z.boolean().describe('Whether the assistant may read it when an admin asks'),
  })
  .meta({ id: 'RevenueMetric' });

/** What others see of a revenue metric (docs/concepts.md#revenue-and-who-sees-it). */
export const privateMetric = z
  .object({ id: z.string(), name: z.string(), kind: z.literal('revenue') })
  .meta({ id: 'PrivateMetric' });

/** A metric for an admin. */
export const metricRecord = z.discriminatedUnion('kind', [countMetric, revenueMetric]);
/** A metric for any reader. */
export const shownMetric = z.union([countMetric, revenueMetric, privateMetric]);

/** A metric for a key that only sends values. */
export const foundMetric = z.object({ id: z.string(), name: z.string() }).meta({ id: 'FoundMetric' });

const withMonths = { months: z.array(monthRecord) };
const countMetricWithMonths = countMetric.extend(withMonths).meta({ id: 'MetricWithMonths' });
const revenueMetricWithMonths = revenueMetric.extend(withMonths).meta({ id: 'RevenueMetricWithMonths' });
export const shownMetricWithMonths = z.union([countMetricWithMonths, revenueMetricWithMonths, privateMetric]);

/** A metric that was created. */
export const createdMetric = z.discriminatedUnion('kind', [
  countMetric.extend(warned).meta({ id: 'CreatedMetric' }),
  revenueMetric.extend(warned).meta({ id: 'CreatedRevenueMetric' }),
]);
/** A metric that was changed. */
export const changedMetric = z.discriminatedUnion('kind', [
  countMetricWithMonths.extend(warned).meta({ id: 'ChangedMetric' }),
  revenueMetricWithMonths.extend(warned).meta({ id: 'ChangedRevenueMetric' }),
]);

const target = z
  .number({ error: 'expected a number from 0 to 1e15, or null' })
  .min(0, { error: 'expected a number from 0 to 1e15, or null' })
  .max(1e15, { error: 'expected a number from 0 to 1e15, or null' })
  .nullable();

const unit = z
  .string({ error: 'expected a text of 1 to 100 characters' })
  .overwrite(normalText)
  .min(1, { error: 'expected a text of 1 to 100 characters' })
  .max(100, { error: 'expected a text of 1 to 100 characters' });

const LABEL_KEY = 'expected a text of 1 to 100 characters, or null';
const labelKey = z
  .string({ error: LABEL_KEY })
  .overwrite(normalText)
  .min(1, { error: LABEL_KEY })
  .max(100, { error: LABEL_KEY })
  .nullable();

/** A new metric (docs/http.md#define-a-metric). */
export const newMetric = z.strictObject({
  name,
  unit,
  kind: z.enum(METRIC_KINDS, { error: 'expected "count" or "revenue"' }).default('count'),
  aggregation: z.enum(AGGREGATIONS),
  frequency: z.enum(FREQUENCIES),
  scope: z.discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('organisation') }).meta({ id: 'NewOrganisationScope' }),
      z
        .strictObject({ type: z.literal('team'), team_id: z.string({ error: 'expected a team id' }) })
        .meta({ id: 'NewTeamScope' }),
      z.strictObject({ type: z.literal('spend'), spend: metricPicks }).meta({ id: 'NewSpendScope' }),
    ],
    { error: 'expected a type "organisation", "team" or "spend"' },
  ),
  target: target.optional(),
  label_key: labelKey.optional().describe('What the labels of its values name, for example a region'),
  rise: rise.optional(),
  currency: z
    .string({ error: 'expected a text' })
    .optional()
    .describe('Only of revenue: the currency of the organisation’s costs'),
});

const immutable = (field: string) =>
  z.never({ error: `expected no ${field}: it cannot be changed after creation` }).optional();

/** The fields of a metric that can change. Others are rejected by name. */
export const metricChanges = z.strictObject({
  name: name.optional(),
  unit: unit.optional(),
  target: target.optional(),
  label_key: labelKey.optional().describe('Only while the metric has no values'),
  rise: rise.optional(),
  assistant_access: z
    .boolean({ error: 'expected true or false' })
    .optional()
    .describe('Only of revenue: whether the assistant may read it when an admin asks'),
  kind: immutable('kind'),
  aggregation: immutable('aggregation'),
  frequency: immutable('frequency'),
  scope: z
    .strictObject(
      { type: z.string().optional(), team_id: immutable('team_id'), spend: metricPicks.optional() },
      { error: 'expected {"spend": […]}: the scope itself cannot be changed after creation' },
    )
    .optional(),
  currency: immutable('currency'),
});
