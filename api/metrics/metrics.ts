import { z } from 'zod';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid } from '../../domain/shared/errors.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { latestUnitCost, type MonthRecord } from '../../domain/months/month-record.ts';
import {
  createMetric,
  defaultRise,
  findMetric,
  listMetrics,
  updateMetric,
  type Metric,
} from '../../warehouse/metrics/metrics.ts';
import { pickWarnings } from '../../warehouse/spend/picks/pick-warnings.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies, NumberDependencies } from '../http/dependencies.ts';
import { idParams } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { metricChanges, metricRecord, metricWithMonths, newMetric } from './metric-fields.ts';
import { monthsOf } from '../months/read-months.ts';
import { judgedRise } from './rise-field.ts';
import { warned } from '../spend/pick-fields.ts';
import { page, pageQuery } from '../http/paging.ts';
import { answers, answersPage, noBody, success } from '../http/route-schema.ts';
import type { Api } from '../http/api-type.ts';
import { without } from '../http/defined-fields.ts';

const warningsOf = async (
  { warehouse, clock }: Pick<ApiDependencies, 'warehouse' | 'clock'>,
  orgId: string,
  { id, scope }: Metric,
): Promise<string[]> => (scope.type === 'spend' ? pickWarnings(warehouse, orgId, id, clock.now()) : []);

/** Returns the changed scope. Its type stays; only the picks of a spend scope can change (contract §3, Metric). */
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

/** `…/metrics`: business metrics and their unit costs (spec §2). */
export const metricRoutes = (app: Api, dependencies: NumberDependencies): void => {
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
      const metric = await requested('metric', findMetric, warehouse, request);
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
      const before = await requested('metric', findMetric, warehouse, request);
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
      const { id } = request.params;
      const metric = found(
        'metric',
        id,
        await updateMetric(warehouse, caller.organisation.id, id, changes, by),
      );
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
      const { id } = request.params;
      const metric = found(
        'metric',
        id,
        await updateMetric(warehouse, caller.organisation.id, id, 'delete', by),
      );
      return success(toWireMetric(metric, []));
    },
  );
};
