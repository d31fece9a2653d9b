import { z } from 'zod';
import { dayOf, lastDay, monthOf } from '../domain/calendar.ts';
import { fitsValueDecimals, LARGEST_VALUE, VALUE_DECIMALS, valueToWire } from '../domain/decimals.ts';
import { invalid } from '../domain/errors.ts';
import { PERIOD_FORMAT, periodToDay, periodToWire, type Frequency } from '../domain/metric.ts';
import { listValueChanges, listValues, writeValues, type NewValue } from '../warehouse/metric-values.ts';
import type { Metric } from '../warehouse/metrics.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { day, idParams, instant, month } from './fields.ts';
import { shown } from './invalid-input.ts';
import { foundMetric } from './metrics.ts';
import { checkCursor, page, pageQuery } from './paging.ts';
import { answers, answersPage, success } from './route-schema.ts';
import type { Api } from './server.ts';

const MOST_VALUES = 10_000;

const valueItem = z.strictObject({
  period: z.string({ error: 'expected a period' }),
  label: z.string({ error: 'expected a text' }).optional(),
  value: z
    .number({ error: 'expected a finite number' })
    .min(0, { error: 'expected a number of at least 0' })
    .max(LARGEST_VALUE, { error: 'expected a number of at most 1e15' }),
});

const source = z.enum(['hand', 'csv', 'api', 'warehouse', 'payments']);
const changedBy = z.object({ type: z.enum(['key', 'import']), id: z.string(), name: z.string() });

const writeResult = z
  .object({
    created: z.number(),
    replaced: z.number(),
    unchanged: z.number(),
    months: z.array(z.string()).describe('Months whose numbers changed'),
  })
  .meta({ id: 'WriteResult' });

const storedValue = z
  .object({
    period: z.string(),
    label: z.string().optional(),
    value: z.number(),
    source,
    changed_by: changedBy,
    changed_at: instant,
  })
  .meta({ id: 'Value' });

const valueChange = z
  .object({
    period: z.string(),
    label: z.string().optional(),
    action: z.enum(['set', 'remove']),
    value: z.number().nullable(),
    previous: z.number().nullable(),
    source,
    changed_by: changedBy,
    changed_at: instant,
  })
  .meta({ id: 'ValueChange' });

const PERIOD_SCHEMA: Record<Frequency, z.ZodType<string>> = { daily: day, monthly: month };

/**
 * Checks what only the metric can tell about a batch: the form of its periods, labels, the future, decimals and
 * doubles. Throws at the first item that is wrong, named by its path; then nothing of the batch is stored.
 */
const judgeValues = (
  metric: Pick<Metric, 'frequency' | 'label_key'>,
  values: readonly z.infer<typeof valueItem>[],
  now: Date,
): NewValue[] => {
  const today = dayOf(now);
  const newest = metric.frequency === 'daily' ? today : monthOf(today);
  const periodSchema = PERIOD_SCHEMA[metric.frequency];
  const seen = new Map<string, number>();
  return values.map(({ period, label, value }, index) => {
    const at = `values[${index}]`;
    // A period repeats across labels: one that passed needs no second look.
    if (!periodSchema.safeParse(period).success) {
      throw invalid(
        `${at}.period: expected ${PERIOD_FORMAT[metric.frequency]} for a ${metric.frequency} metric, got ${shown(period)}`,
      );
    }
    if (period > newest)
      throw invalid(
        `${at}.period: expected a period not after ${newest}, got ${shown(period)}, which is in the future`,
      );
    if (label !== undefined)
      throw invalid(`${at}.label: expected no label on a metric without a label key, got ${shown(label)}`);
    if (!fitsValueDecimals(value))
      throw invalid(`${at}.value: expected at most ${VALUE_DECIMALS} decimals, got ${shown(value)}`);
    const first = seen.get(period);
    if (first !== undefined) {
      throw invalid(
        `${at}.period: expected each period once in a request, got ${shown(period)}, as values[${first}] has it already`,
      );
    }
    seen.set(period, index);
    return { period: periodToDay(period), label: '', value };
  });
};

const position = z.object({ changeId: z.uuid(), period: z.iso.date(), label: z.string() });
const periodPosition = position.omit({ changeId: true });

/** `…/metrics/{id}/values` and `…/history` (spec §2, Metric value; §4). */
export const metricValueRoutes = (app: Api, dependencies: ApiDependencies): void => {
  const { warehouse, clock } = dependencies;

  app.post(
    '/metrics/:id/values',
    {
      config: { access: 'send_values', feature: 'unit_economics' },
      schema: answers(writeResult, {
        tag: 'Values',
        summary: 'Create or replace values; all or none',
        description: 'The same period again replaces its value; the same number again is no change.',
        params: idParams,
        body: z.strictObject({
          values: z
            .array(valueItem, { error: 'expected an array of values' })
            .min(1, { error: `expected 1 to ${MOST_VALUES} items` })
            .max(MOST_VALUES, { error: `expected 1 to ${MOST_VALUES} items` }),
        }),
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      const now = clock.now();
      const values = judgeValues(metric, request.body.values, now);
      const by = { type: 'key', id: caller.key.id, name: caller.key.name } as const;
      return success(
        await writeValues(warehouse, caller.organisation.id, metric.id, values, { source: 'api', by, now }),
      );
    },
  );

  const period = z.union([day, month], { error: 'expected YYYY-MM-DD or YYYY-MM' });
  app.get(
    '/metrics/:id/values',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answersPage(storedValue, {
        tag: 'Values',
        summary: 'Stored values from start to end, both inclusive',
        params: idParams,
        querystring: pageQuery.extend({ start: period.optional(), end: period.optional() }),
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      checkCursor(request.query, periodPosition);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      const { start, end } = request.query;
      const range = {
        start: start === undefined ? null : periodToDay(start),
        // An end given as a month includes all its days.
        end: end === undefined ? null : end.length === 7 ? lastDay(end) : end,
      };
      const values = await page(
        request.query,
        periodPosition,
        (part) => listValues(warehouse, caller.organisation.id, metric.id, { ...range, ...part }),
        ({ period, label }) => ({ period, label }),
      );
      return {
        ...values,
        data: values.data.map(({ label: _, ...value }) => ({
          ...value,
          period: periodToWire(value.period, metric.frequency),
          value: valueToWire(value.value),
        })),
      };
    },
  );

  app.get(
    '/metrics/:id/history',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answersPage(valueChange, {
        tag: 'Values',
        summary: 'Every change of a value, newest first',
        params: idParams,
        querystring: pageQuery,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      checkCursor(request.query, position);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      const changes = await page(
        request.query,
        position,
        (part) => listValueChanges(warehouse, caller.organisation.id, metric.id, part),
        ({ changeId, period, label }) => ({ changeId, period, label }),
      );
      return {
        ...changes,
        data: changes.data.map(({ changeId: _, label: __, ...change }) => ({
          ...change,
          period: periodToWire(change.period, metric.frequency),
          value: change.value === null ? null : valueToWire(change.value),
          previous: change.previous === null ? null : valueToWire(change.previous),
        })),
      };
    },
  );
};
