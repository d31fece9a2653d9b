import { z } from 'zod';
import { toWire } from '../domain/decimals.ts';
import { invalid, notFound } from '../domain/errors.ts';
import type { SpendPick } from '../domain/spend-pick.ts';
import { latestUnitCost, type MonthRecord } from '../domain/month-record.ts';
import {
  createMetric,
  defaultRise,
  findMetric,
  listMetrics,
  updateMetric,
  type Metric,
} from '../warehouse/metrics.ts';
import { pickWarnings } from '../warehouse/pick-warnings.ts';
import { callerOf, changeBy, type Caller } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { idParams } from './fields.ts';
import { metricChanges, metricRecord, metricWithMonths, newMetric } from './metric-fields.ts';
import { monthsOf } from './metric-months.ts';
import { judgedRise } from './rise-field.ts';
import { warned } from './spend.ts';
import { page, pageQuery } from './paging.ts';
import { answers, answersPage, noBody, success } from './route-schema.ts';
import type { Api } from './server.ts';
import { without } from './without.ts';

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
