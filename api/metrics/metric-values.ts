import { z } from 'zod';
import { lastDay } from '../../domain/shared/calendar.ts';
import { toWire, valueToWire, type DecimalText } from '../../domain/shared/decimals.ts';
import { periodToDay, periodToWire, VALUE_SOURCES } from '../../domain/metrics/metric.ts';
import { UNREADABLE } from '../../domain/months/unreadable-values.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { listValueChanges, listValues } from '../../warehouse/metrics/value-history.ts';
import { callerOf } from '../access/authentication.ts';
import type { NamedMetric } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { checkCursor, page, pageQuery } from '../http/paging.ts';
import { pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import { storeValues } from './store-values.ts';
import { validItems } from './value-items.ts';
import { keyChange, label, number, period, writeResult } from './value-fields.ts';

const MOST_VALUES = 10_000;

/** Ten thousand values with long labels fit. */
const MOST_BYTES = 8 * 2 ** 20;

const valueItem = z.strictObject({
  period: z.string({ error: 'expected a period' }),
  label: label.optional(),
  value: number,
});

const source = z.enum(VALUE_SOURCES);
const changedBy = z.object({ type: z.enum(['key', 'import']), id: z.string(), name: z.string() });

const reason = z
  .string()
  .optional()
  .describe('Why a stored number is null; only if the master key of the service does not open it');

const storedValue = z
  .object({
    period: z.string(),
    label: z.string().optional(),
    value: z.number().nullable(),
    reason,
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
    reason,
    source,
    changed_by: changedBy,
    changed_at: instant,
  })
  .meta({ id: 'ValueChange' });

/** A label in answers. Metrics without labels leave it out. */
const labelOf = ({ label_key }: Pick<Metric, 'label_key'>, label: string): { label?: string } =>
  label_key === null ? {} : { label };

/** Returns how a metric's values are rounded: revenue is money (docs/http.md#what-all-answers-have-in-common). */
const numberOf = ({ kind }: Pick<Metric, 'kind'>): ((value: DecimalText) => number) =>
  kind === 'revenue' ? toWire : valueToWire;

const rangeQuery = pageQuery.extend({ start: period.optional(), end: period.optional() });

/** Returns the days of a range of periods. A month as the end includes all its days. */
const daysOf = ({ start, end }: z.infer<typeof rangeQuery>) => ({
  start: start === undefined ? null : periodToDay(start),
  end: end === undefined ? null : end.length === 7 ? lastDay(end) : end,
});

const since = z.iso.datetime({ error: 'expected an instant such as "2026-01-31T00:00:00Z"' });

const historyQuery = rangeQuery.extend({ since: since.optional() });

const position = z.object({ changeId: z.uuid(), period: z.iso.date(), label: z.string() });
const periodPosition = position.omit({ changeId: true });

const newValues = z.strictObject({
  values: z
    .array(valueItem, { error: 'expected an array of values' })
    .min(1, { error: `expected 1 to ${MOST_VALUES} items` })
    .max(MOST_VALUES, { error: `expected 1 to ${MOST_VALUES} items` }),
});

async function postValues(
  request: Asked<{ body: typeof newValues }>,
  { warehouse, clock }: ApiDependencies,
  changed: NamedMetric,
) {
  const caller = callerOf(request);
  const change = keyChange(caller, 'api', clock.now());
  const valid = validItems(changed.metric, request.body.values, change.now);
  return success(await storeValues(warehouse, caller, changed, valid, change, request.awaitCommit));
}

async function getValues(
  request: Asked<{ query: typeof rangeQuery }>,
  { warehouse }: ApiDependencies,
  { metric, vault }: NamedMetric,
) {
  const { id: orgId } = callerOf(request).organisation;
  const range = daysOf(request.query);
  const values = await page(
    request.query,
    periodPosition,
    (part) => listValues(warehouse, orgId, metric.id, { ...range, ...part }, vault),
    ({ period, label }) => ({ period, label }),
  );
  return {
    ...values,
    data: values.data.map(({ label, ...value }) => ({
      ...value,
      ...labelOf(metric, label),
      period: periodToWire(value.period, metric.frequency),
      ...(value.value === null
        ? { value: null, reason: UNREADABLE }
        : { value: numberOf(metric)(value.value) }),
    })),
  };
}

async function getHistory(
  request: Asked<{ query: typeof historyQuery }>,
  { warehouse }: ApiDependencies,
  { metric, vault }: NamedMetric,
) {
  const { id: orgId } = callerOf(request).organisation;
  const toNumber = numberOf(metric);
  const { since } = request.query;
  const filter = {
    ...daysOf(request.query),
    since: since === undefined ? null : new Date(since).toISOString(),
  };
  const changes = await page(
    request.query,
    position,
    (part) => listValueChanges(warehouse, orgId, metric.id, part, vault, filter),
    ({ changeId, period, label }) => ({ changeId, period, label }),
  );
  return {
    ...changes,
    data: changes.data.map(({ changeId: _, isUnreadable, label, ...change }) => ({
      ...change,
      ...labelOf(metric, label),
      period: periodToWire(change.period, metric.frequency),
      value: change.value === null ? null : toNumber(change.value),
      previous: change.previous === null ? null : toNumber(change.previous),
      ...(isUnreadable ? { reason: UNREADABLE } : {}),
    })),
  };
}

/** `/metrics/{id}/values` and `/metrics/{id}/history` (docs/http.md#send-values). */
export const metricValueRoutes = tagged({ tag: 'Values', plan: 'unit_economics' }, [
  route('POST /metrics/:id/values', {
    access: 'send_values',
    changesNumbers: true,
    bodyLimit: MOST_BYTES,
    operationId: 'storeValues',
    summary: 'Create or replace values; all or none',
    description:
      'The same period (and label) again replaces its value; the same number again is no change. A metric with a ' +
      'label key needs a label on every value, any other takes none. A value with more than ten decimals is rounded to ten.',
    body: newValues,
    answer: successOf(writeResult),
    metric: 'change',
    handle: postValues,
  }),
  route('GET /metrics/:id/values', {
    access: 'read',
    operationId: 'listValues',
    summary: 'Stored values from start to end, both inclusive',
    query: rangeQuery,
    answer: pageOf(storedValue),
    check: ({ query }) => {
      checkCursor(query, periodPosition);
    },
    metric: { viewed: 'values' },
    handle: getValues,
  }),
  route('GET /metrics/:id/history', {
    access: 'read',
    operationId: 'listValueChanges',
    summary: 'Every change of a value, newest first',
    description: 'Of the periods from `start` to `end`, both inclusive, and at `since` or later.',
    query: historyQuery,
    answer: pageOf(valueChange),
    check: ({ query }) => {
      checkCursor(query, position);
    },
    metric: { viewed: 'history' },
    handle: getHistory,
  }),
]);
