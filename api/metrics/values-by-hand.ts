import { z } from 'zod';
import { lastDay } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { periodToDay } from '../../domain/metrics/metric.ts';
import { isPeriod, labelProblem, wrongPeriod } from '../../domain/metrics/value-rules.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import type { ValueRange } from '../../warehouse/metrics/write-values.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { callerOf } from '../access/authentication.ts';
import type { NamedMetric } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams } from '../http/fields.ts';
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import { keyChange, label, number, period, writeResult } from './value-fields.ts';
import { clearValues, storeValues } from './store-values.ts';
import { validItem } from './value-items.ts';

const removeResult = z
  .object({
    removed: z.number(),
    months: z.array(z.string()).describe('Months whose numbers changed'),
  })
  .meta({ id: 'RemoveResult' });

const removeQuery = z.strictObject({
  period: period.optional().describe('One period; or start and end'),
  start: period.optional().describe('From here on, inclusive'),
  end: period.optional().describe('Up to here, inclusive'),
  label: label.optional().describe('Only values of this label; all labels without it'),
});
type RemoveQuery = z.infer<typeof removeQuery>;

function refuseUnclear({ period, start, end }: RemoveQuery): void {
  const isRange = start !== undefined || end !== undefined;
  if (period !== undefined && isRange)
    throw invalid(
      `period: expected no period beside ${start === undefined ? 'end' : 'start'}, got ${forMessage(period)}`,
    );
  if (period === undefined && !isRange) throw invalid('query: expected period, or start or end, got none');
}

/** Returns the range of days that a query removes. Rejects periods that do not fit the metric's frequency. */
function rangeOf(metric: Metric, { period, start, end, label }: RemoveQuery): ValueRange {
  const { frequency } = metric;
  for (const [name, value] of Object.entries({ period, start, end })) {
    const fits =
      value === undefined ||
      isPeriod(value, frequency) ||
      (name !== 'period' && frequency === 'daily' && isPeriod(value, 'monthly'));
    if (!fits) throw invalid(`${name}: ${wrongPeriod(value, frequency)}`);
  }
  const problem = label === undefined ? null : labelProblem(metric.label_key, label);
  if (problem !== null) throw invalid(`label: ${problem}`);
  const first = period ?? start;
  const last = period ?? end;
  const range = {
    start: first === undefined ? null : periodToDay(first),
    end:
      last === undefined
        ? null
        : last.length === 7 && frequency === 'daily'
          ? lastDay(last)
          : periodToDay(last),
  };
  if (range.start !== null && range.end !== null && range.end < range.start)
    throw invalid(`end: expected ${first ?? ''} or later, got ${forMessage(last)}`);
  return { ...range, label: label ?? null };
}

const valueParams = idParams.extend({ period });
const valueQuery = z.strictObject({ label: label.optional().describe('On a metric with a label key') });
const valueBody = z.strictObject({ value: number });

async function putValue(
  request: Asked<{ params: typeof valueParams; query: typeof valueQuery; body: typeof valueBody }>,
  { warehouse, clock }: ApiDependencies,
  changed: NamedMetric,
) {
  const caller = callerOf(request);
  const change = keyChange(caller, 'hand', clock.now());
  const sent = { period: request.params.period, label: request.query.label, value: request.body.value };
  const valid = validItem(changed.metric, sent, change.now);
  return success(await storeValues(warehouse, caller, changed, valid, change, request.awaitCommit));
}

async function deleteValues(
  request: Asked<{ query: typeof removeQuery }>,
  { warehouse, clock }: ApiDependencies,
  changed: NamedMetric,
) {
  const caller = callerOf(request);
  const range = rangeOf(changed.metric, request.query);
  const change = keyChange(caller, 'hand', clock.now());
  return success(await clearValues(warehouse, caller, changed, range, change));
}

/** Values that an admin corrects by hand (docs/http.md#send-values). */
export const handValueRoutes = tagged({ tag: 'Values', plan: 'unit_economics' }, [
  route('PUT /metrics/:id/values/:period', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'putValue',
    summary: 'Create or replace one value by hand',
    params: valueParams,
    query: valueQuery,
    body: valueBody,
    answer: successOf(writeResult),
    metric: 'change',
    handle: putValue,
  }),
  route('DELETE /metrics/:id/values', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'deleteValues',
    summary:
      'Remove the values of a period, or from start to end, both inclusive; what is not there is no error',
    body: noBody,
    query: removeQuery,
    answer: successOf(removeResult),
    check: ({ query }) => {
      refuseUnclear(query);
    },
    metric: 'change',
    handle: deleteValues,
  }),
]);
