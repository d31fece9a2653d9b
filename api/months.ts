import { z } from 'zod';
import { toWire, valueToWire } from '../domain/decimals.ts';
import { invalid } from '../domain/errors.ts';
import { NO_LABELS, withLabels, type LabelledMonthRecord } from '../domain/month-labels.ts';
import { computeMetricMonths } from '../warehouse/metric-months.ts';
import type { Metric } from '../warehouse/metrics.ts';
import { labelSums, lockedLabelSums } from '../warehouse/month-labels.ts';
import { listMonthVersions, lockMonth } from '../warehouse/month-locks.ts';
import type { Organisation } from '../warehouse/organisations.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { instant, month } from './fields.ts';
import { monthRecord } from './metric-fields.ts';
import { monthsOf, readMonths, shownMonths } from './metric-months.ts';
import { foundMetric } from './metrics.ts';
import { idParams } from './fields.ts';
import { answers, success } from './route-schema.ts';
import type { Api } from './server.ts';

const monthParams = idParams.extend({ month });

const monthVersion = z
  .object({
    version: z.number(),
    cost: z.number(),
    value: z.number(),
    unit_cost: z.number().nullable(),
    locked_at: instant,
    locked_by: z.object({ type: z.literal('key'), id: z.string(), name: z.string() }),
    missing: z.array(z.string()).describe('What sources had not delivered, in words'),
  })
  .meta({ id: 'MonthVersion' });

const lockBody = z
  .strictObject({
    accept_missing: z
      .boolean({ error: 'expected true or false' })
      .default(false)
      .describe('Locks a month that is open only because sources have not delivered all of it'),
  })
  .nullish();

const labels = z
  .array(z.object({ label: z.string(), value: z.number(), share_percent: z.number().nullable() }))
  .optional()
  .describe('The parts of the value by label, with `by=label`');

const labelledMonthRecord = monthRecord
  .extend({ labels, current: monthRecord.shape.current.unwrap().extend({ labels }).optional() })
  .meta({ id: 'LabelledMonth' });

/** The last twelve months with the parts of their values by label, all read at one moment, so that they add up. */
const monthsByLabel = async (
  { warehouse, clock }: Pick<ApiDependencies, 'warehouse' | 'clock'>,
  organisation: Organisation,
  metric: Metric,
): Promise<LabelledMonthRecord[]> => {
  const now = clock.now();
  await computeMetricMonths(warehouse, organisation.id, [metric], now);
  return warehouse.transaction(async (session) => {
    const months = await readMonths(session, organisation, [metric], now);
    const today = await labelSums(session, organisation.id, metric, shownMonths(now));
    const locked = await lockedLabelSums(session, organisation.id, metric, shownMonths(now));
    return (months.get(metric.id) ?? []).map((record) =>
      withLabels(record, {
        today: today.get(record.month) ?? NO_LABELS,
        locked: locked.get(record.month) ?? NO_LABELS,
      }),
    );
  });
};

/** `…/metrics/{id}/months`: the life of a month (spec §3). */
export const monthRoutes = (app: Api, dependencies: ApiDependencies): void => {
  const { warehouse, clock } = dependencies;

  app.get(
    '/metrics/:id/months',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(z.array(labelledMonthRecord), {
        tag: 'Months',
        summary: 'The last twelve months, newest first, the running one included',
        params: idParams,
        querystring: z.strictObject({
          by: z
            .literal('label', { error: 'expected "label"' })
            .optional()
            .describe('Adds `labels` to each month'),
        }),
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      if (request.query.by === undefined)
        return success((await monthsOf(dependencies, caller, [metric])).get(metric.id) ?? []);
      if (metric.label_key === null)
        throw invalid('by: expected no "label" on a metric without a label key, got "label"');
      return success(await monthsByLabel(dependencies, caller.organisation, metric));
    },
  );

  app.post(
    '/metrics/:id/months/:month/lock',
    {
      config: { access: 'admin', feature: 'unit_economics', changesNumbers: true },
      schema: answers(monthRecord, {
        tag: 'Months',
        summary: 'Lock a month, or lock it again after a value changed, as a new version',
        body: lockBody,
        params: monthParams,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      const key = { id: caller.key.id, name: caller.key.name };
      return success(
        await lockMonth(warehouse, caller.organisation, metric, request.params.month, {
          key,
          now: clock.now(),
          acceptMissing: request.body?.accept_missing ?? false,
        }),
      );
    },
  );

  app.get(
    '/metrics/:id/months/:month/versions',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(z.array(monthVersion), {
        tag: 'Months',
        summary: 'The locked versions of a month, newest first',
        params: monthParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      const versions = await listMonthVersions(
        warehouse,
        caller.organisation.id,
        metric.id,
        request.params.month,
      );
      return success(
        versions.map((version) => ({
          ...version,
          cost: toWire(version.cost),
          value: valueToWire(version.value),
          unit_cost: version.unit_cost === null ? null : toWire(version.unit_cost),
        })),
      );
    },
  );
};
