import { z } from 'zod';
import { dayOf, monthOf, type Month } from '../domain/calendar.ts';
import { toWire } from '../domain/decimals.ts';
import { invalid, notFound } from '../domain/errors.ts';
import { AGGREGATIONS, FREQUENCIES } from '../domain/metric.ts';
import type { SpendPick } from '../domain/spend-pick.ts';
import { latestUnitCost, monthRecords, type MonthRecord } from '../domain/month-record.ts';
import { computeMetricMonths } from '../warehouse/metric-months.ts';
import {
  createMetric,
  defaultRise,
  findMetric,
  listMetrics,
  updateMetric,
  type Metric,
} from '../warehouse/metrics.ts';
import { monthFacts, settlementFacts } from '../warehouse/months.ts';
import { pickWarnings } from '../warehouse/pick-warnings.ts';
import type { Session } from '../warehouse/session.ts';
import { callerOf, changeBy, type Caller } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { idParams, instant, name } from './fields.ts';
import { judgedRise, rise } from './rise-field.ts';
import { picks, spendPickRecord, warned } from './spend.ts';
import { page, pageQuery } from './paging.ts';
import { answers, answersPage, noBody, success } from './route-schema.ts';
import type { Api } from './server.ts';
import { without } from './without.ts';

/** Months that a metric shows (spec §8). */
const SHOWN_MONTHS = 12;

const status = z.enum(['open', 'partial', 'ready_to_lock', 'locked', 'changed_since_lock']);
const numbers = {
  cost: z.number().nullable(),
  value: z.number().nullable(),
  unit_cost: z.number().nullable(),
};
const lockedBy = z.object({ type: z.literal('key'), id: z.string(), name: z.string() });

export const monthRecord = z
  .object({
    month: z.string(),
    ...numbers,
    status,
    change_percent: z.number().nullable(),
    above_target: z.boolean(),
    version: z.number().nullable(),
    locked: z.object({ version: z.number(), ...numbers, locked_at: instant, locked_by: lockedBy }).nullable(),
    current: z.object(numbers).optional().describe('Today’s numbers of a month that changed since its lock'),
    reason: z.string().nullable(),
    complete_through: z
      .string()
      .nullable()
      .describe('Last day of the month that every active source has delivered'),
  })
  .meta({ id: 'Month' });

/** The newest month with a unit cost. */
export const latestMonth = z.object({
  month: z.string(),
  unit_cost: z.number(),
  change_percent: z.number().nullable(),
  status,
});

const metricRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    unit: z.string(),
    kind: z.literal('count'),
    aggregation: z.enum(AGGREGATIONS),
    frequency: z.enum(FREQUENCIES),
    scope: z.union([
      z.object({ type: z.literal('organisation') }),
      z.object({ type: z.literal('team'), team_id: z.string() }),
      z.object({ type: z.literal('spend'), spend: z.array(spendPickRecord) }),
    ]),
    target: z.number().nullable(),
    label_key: z.string().nullable(),
    rise: z.object({ percent: z.number(), deviations: z.number() }).nullable(),
    created_at: instant,
    import: z.null(),
    latest: latestMonth.nullable(),
  })
  .meta({ id: 'Metric' });

const metricWithMonths = metricRecord
  .extend({ months: z.array(monthRecord) })
  .meta({ id: 'MetricWithMonths' });

const target = z
  .number({ error: 'expected a number from 0 to 1e15, or null' })
  .min(0, { error: 'expected a number from 0 to 1e15, or null' })
  .max(1e15, { error: 'expected a number from 0 to 1e15, or null' })
  .nullable();

const unit = z
  .string({ error: 'expected a text of 1 to 100 characters' })
  .trim()
  .min(1, { error: 'expected a text of 1 to 100 characters' })
  .max(100, { error: 'expected a text of 1 to 100 characters' });

const LABEL_KEY = 'expected a text of 1 to 100 characters, or null';
const labelKey = z
  .string({ error: LABEL_KEY })
  .trim()
  .min(1, { error: LABEL_KEY })
  .max(100, { error: LABEL_KEY })
  .nullable();

const newMetric = z.strictObject({
  name,
  unit,
  kind: z.literal('count', { error: 'expected "count"' }).default('count'),
  aggregation: z.enum(AGGREGATIONS),
  frequency: z.enum(FREQUENCIES),
  scope: z.discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('organisation') }),
      z.strictObject({ type: z.literal('team'), team_id: z.string({ error: 'expected a team id' }) }),
      z.strictObject({ type: z.literal('spend'), spend: picks(1) }),
    ],
    { error: 'expected a type "organisation", "team" or "spend"' },
  ),
  target: target.optional(),
  label_key: labelKey.optional().describe('What the labels of its values name, for example a region'),
  rise: rise.optional(),
});

const immutable = (field: string) =>
  z.never({ error: `expected no ${field}: it cannot be changed after creation` }).optional();

const metricChanges = z.strictObject({
  name: name.optional(),
  unit: unit.optional(),
  target: target.optional(),
  label_key: labelKey.optional().describe('Only while the metric has no values'),
  rise: rise.optional(),
  kind: immutable('kind'),
  aggregation: immutable('aggregation'),
  frequency: immutable('frequency'),
  scope: z
    .strictObject(
      { type: z.string().optional(), team_id: immutable('team_id'), spend: picks(1).optional() },
      { error: 'expected {"spend": […]}: the scope itself cannot be changed after creation' },
    )
    .optional(),
  currency: immutable('currency'),
});

const warningsOf = async (
  { warehouse, clock }: Pick<ApiDependencies, 'warehouse' | 'clock'>,
  orgId: string,
  { id, scope }: Metric,
): Promise<string[]> => (scope.type === 'spend' ? pickWarnings(warehouse, orgId, id, clock.now()) : []);

/** A changed scope keeps its type; only the picks of a spend scope can be others (contract §3, Metric). */
const changedScope = (
  { scope }: Metric,
  change: { type?: string | undefined; spend?: SpendPick[] | undefined } | undefined,
): Metric['scope'] | undefined => {
  if (change === undefined) return undefined;
  if (change.type !== undefined && change.type !== scope.type) {
    throw invalid(`scope.type: expected ${JSON.stringify(scope.type)}: it cannot be changed after creation`);
  }
  if (change.spend === undefined) return undefined;
  if (scope.type !== 'spend')
    throw invalid(`scope.spend: expected none, this metric has the scope ${JSON.stringify(scope.type)}`);
  return { type: 'spend', spend: change.spend };
};

const targetText = (target: number | null): string | null => (target === null ? null : target.toString());

const toWireMetric = (metric: Metric, months: readonly MonthRecord[]): z.infer<typeof metricRecord> => ({
  ...metric,
  target: metric.target === null ? null : toWire(metric.target),
  import: null,
  latest: latestUnitCost(months),
});

/** The metric of a request, or a 404. */
export const foundMetric = async (
  { warehouse }: Pick<ApiDependencies, 'warehouse'>,
  caller: Caller,
  id: string,
): Promise<Metric> => {
  const metric = await findMetric(warehouse, caller.organisation.id, id);
  if (metric === null) throw notFound('metric', id);
  return metric;
};

/** The last twelve months of some metrics of one organisation, newest first, by metric id. */
export const monthsOf = async (
  { warehouse, clock }: Pick<ApiDependencies, 'warehouse' | 'clock'>,
  { organisation }: Caller,
  metrics: readonly Metric[],
): Promise<Map<string, MonthRecord[]>> => {
  const now = clock.now();
  await computeMetricMonths(warehouse, organisation.id, metrics, now);
  return warehouse.session((session) => readMonths(session, organisation, metrics, now));
};

/** The same, on a session of the caller's; spend must have been computed before. */
export const readMonths = async (
  session: Session,
  organisation: Caller['organisation'],
  metrics: readonly Metric[],
  now: Date,
): Promise<Map<string, MonthRecord[]>> => {
  const facts = await monthFacts(
    session,
    organisation.id,
    metrics.map(({ id }) => id),
    shownMonths(now),
  );
  const settlement = await settlementFacts(session, organisation.id, organisation.settle_days);
  return new Map(
    metrics.map((metric) => [metric.id, monthRecords(facts.get(metric.id) ?? [], metric, settlement, now)]),
  );
};

/** The months that a metric shows. */
export const shownMonths = (now: Date): { newest: Month; count: number } => ({
  newest: monthOf(dayOf(now)),
  count: SHOWN_MONTHS,
});

/** `…/metrics`: business metrics and their unit costs (spec §2). */
export const metricRoutes = (app: Api, dependencies: ApiDependencies): void => {
  const { warehouse, clock } = dependencies;

  app.get(
    '/metrics',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answersPage(metricRecord, { tag: 'Metrics', summary: 'List metrics', querystring: pageQuery }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metrics = await page(
        request.query,
        z.string(),
        (part) => listMetrics(warehouse, caller.organisation.id, part),
        ({ id }) => id,
      );
      const months = await monthsOf(dependencies, caller, metrics.data);
      return {
        ...metrics,
        data: metrics.data.map((metric) => toWireMetric(metric, months.get(metric.id) ?? [])),
      };
    },
  );

  app.post(
    '/metrics',
    {
      config: { access: 'admin', feature: 'unit_economics' },
      schema: answers(metricRecord.extend(warned), {
        tag: 'Metrics',
        summary: 'Define a metric',
        body: newMetric,
        errors: [409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { target, label_key, rise = defaultRise(request.body), ...definition } = request.body;
      const metric = await createMetric(
        warehouse,
        caller.organisation.id,
        {
          ...definition,
          target: targetText(target ?? null),
          label_key: label_key ?? null,
          rise: judgedRise(definition, rise),
        },
        changeBy(caller, clock.now()),
      );
      const warnings = await warningsOf(dependencies, caller.organisation.id, metric);
      return success({ ...toWireMetric(metric, []), warnings });
    },
  );

  app.get(
    '/metrics/:id',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(metricWithMonths, {
        tag: 'Metrics',
        summary: 'One metric with its last twelve months',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      const months = (await monthsOf(dependencies, caller, [metric])).get(metric.id) ?? [];
      return success({ ...toWireMetric(metric, months), months });
    },
  );

  app.patch(
    '/metrics/:id',
    {
      config: { access: 'admin', feature: 'unit_economics', changesNumbers: true },
      schema: answers(metricWithMonths.extend(warned), {
        tag: 'Metrics',
        summary: 'Change name, unit, target, label key, rise or picked spend',
        params: idParams,
        body: metricChanges,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { name, unit, target, label_key, rise } = request.body;
      const before = await foundMetric(dependencies, caller, request.params.id);
      const changes = without(
        {
          name,
          unit,
          target: target === undefined ? undefined : targetText(target),
          label_key,
          rise: rise === undefined ? undefined : judgedRise(before, rise),
          scope: changedScope(before, request.body.scope),
        },
        undefined,
      );
      const by = changeBy(caller, clock.now());
      const metric = await updateMetric(warehouse, caller.organisation.id, request.params.id, changes, by);
      if (metric === null) throw notFound('metric', request.params.id);
      const months = (await monthsOf(dependencies, caller, [metric])).get(metric.id) ?? [];
      const warnings = await warningsOf(dependencies, caller.organisation.id, metric);
      return success({ ...toWireMetric(metric, months), months, warnings });
    },
  );

  app.delete(
    '/metrics/:id',
    {
      config: { access: 'admin', feature: 'unit_economics' },
      schema: answers(metricRecord, {
        tag: 'Metrics',
        summary: 'Delete a metric by which no shared cost is split',
        body: noBody,
        params: idParams,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const by = changeBy(caller, clock.now());
      const metric = await updateMetric(warehouse, caller.organisation.id, request.params.id, 'delete', by);
      if (metric === null) throw notFound('metric', request.params.id);
      return success(toWireMetric(metric, []));
    },
  );
};
