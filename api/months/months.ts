import { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import { countsToWire, frozenNumbers, revenueToWire } from '../../domain/months/month-numbers.ts';
import { unreadableLock } from '../../domain/months/unreadable-values.ts';
import { listMonthVersions, lockMonth } from '../../warehouse/months/month-locks.ts';
import { callerOf } from '../access/authentication.ts';
import type { NamedMetric } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { JSON_TYPE } from '../http/error-answers.ts';
import { idParams, month } from '../http/fields.ts';
import { countMonth, monthRecord, monthVersion, revenueMonth } from './month-fields.ts';
import { monthRangeQuery, requestedMonths } from '../http/month-range.ts';
import { labelledMonths } from './labelled-months.ts';
import { monthsOf } from './read-months.ts';
import { pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import type { Reading } from '../routes/up-to-date.ts';
import { closeSignal, sendStream } from '../http/files/tabular.ts';

const monthParams = idParams.extend({ month });

const lockBody = z
  .strictObject({
    accept_missing: z
      .boolean({ error: 'expected true or false' })
      .default(false)
      .describe('Locks a month that only doubts hold back; the version keeps their sentences'),
  })
  .nullish();

const labels = z
  .array(
    z.object({
      label: z.string().nullable().describe('With `top`, null for all other labels, which come last'),
      value: z.number(),
      share_percent: z.number().nullable(),
    }),
  )
  .optional()
  .describe('The parts of the value by label, with `by=label`');

const TOP = { error: 'expected a whole number from 1 to 100' };

const monthsQuery = monthRangeQuery
  .extend({
    by: z.literal('label', { error: 'expected "label"' }).optional().describe('Adds `labels` to each month'),
    top: z.coerce
      .number(TOP)
      .int(TOP)
      .min(1, TOP)
      .max(100, TOP)
      .optional()
      .describe(
        'With `by=label`: only this many labels, those with the largest sum of values over the shown months, in this order in ' +
          'each month, and all others as one last item',
      ),
  })
  .refine(({ by, top }) => by !== undefined || top === undefined, {
    path: ['top'],
    error: 'expected only with by=label',
  });

const labelledMonthRecord = countMonth
  .extend({ labels, current: countMonth.shape.current.unwrap().extend({ labels }).optional() })
  .meta({ id: 'LabelledMonth' });

async function getMonths(
  request: Asked<{ query: typeof monthsQuery }>,
  dependencies: ApiDependencies,
  { metric, spend, now, reply }: NamedMetric & Reading & Replying,
) {
  const caller = callerOf(request);
  const { by, top, ...asked } = request.query;
  const requested = await requestedMonths(asked, now);
  if (by === undefined) {
    const range = Object.keys(asked).length === 0 ? undefined : requested.months;
    const months = await monthsOf(dependencies, caller, [metric], 'months', { spend, now }, range);
    return { ...success(months.get(metric.id) ?? []), next_cursor: requested.next_cursor };
  }
  if (metric.label_key === null)
    throw invalid('by: expected no "label" on a metric without a label key, got "label"');
  const of = { organisation: caller.organisation, metric, now, top };
  const pieces = labelledMonths(dependencies.warehouse, spend, of, requested, closeSignal(reply));
  return sendStream(reply, JSON_TYPE, pieces);
}

async function postLock(
  request: Asked<{ params: typeof monthParams; body: typeof lockBody }>,
  { warehouse, clock }: ApiDependencies,
  { metric, vault }: NamedMetric,
) {
  const { organisation, actor } = callerOf(request);
  const acceptMissing = request.body?.accept_missing ?? false;
  const locking = { actor, now: clock.now(), acceptMissing, vault };
  return success(await lockMonth(warehouse, organisation, metric, request.params.month, locking));
}

async function getVersions(
  request: Asked<{ params: typeof monthParams }>,
  { warehouse }: ApiDependencies,
  { metric, vault }: NamedMetric,
) {
  const { id: orgId } = callerOf(request).organisation;
  const versions = await listMonthVersions(warehouse, orgId, metric.id, request.params.month, vault);
  const toWire = metric.kind === 'revenue' ? revenueToWire : countsToWire;
  return success(
    versions.map(({ cost, value, unit_cost, ...version }) => ({
      ...version,
      reason: value === null ? unreadableLock(version.version) : null,
      ...toWire(frozenNumbers({ cost, value, unitCost: unit_cost })),
    })),
  );
}

/** `/metrics/{id}/months`: the life of a month (docs/concepts.md#a-month-and-its-states). */
export const monthRoutes = tagged({ tag: 'Months', plan: 'unit_economics' }, [
  route('GET /metrics/:id/months', {
    access: 'read',
    isCached: true,
    isHeavy: ({ query }) => (query as { by?: unknown }).by !== undefined,
    operationId: 'getMetricMonths',
    summary: 'The last twelve months, or others, newest first, the running one included',
    query: monthsQuery,
    answer: pageOf(z.union([labelledMonthRecord, revenueMonth])),
    check: ({ query }, now) => requestedMonths(query, now),
    metric: 'numbers',
    reads: 'months',
    handle: getMonths,
  }),
  route('POST /metrics/:id/months/:month/lock', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'lockMonth',
    summary: 'Lock a month, or lock it again after a value changed, as a new version',
    errors: [409],
    body: lockBody,
    params: monthParams,
    answer: successOf(monthRecord),
    metric: 'change',
    handle: postLock,
  }),
  route('GET /metrics/:id/months/:month/versions', {
    access: 'read',
    operationId: 'getMonthVersions',
    summary: 'The locked versions of a month, newest first',
    params: monthParams,
    answer: successOf(z.array(monthVersion)),
    metric: { viewed: 'versions' },
    handle: getVersions,
  }),
]);
