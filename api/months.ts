import { z } from 'zod';
import { toWire, valueToWire } from '../domain/decimals.ts';
import { listMonthVersions, lockMonth } from '../warehouse/month-locks.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { instant, month } from './fields.ts';
import { foundMetric, monthRecord, monthsOf } from './metrics.ts';
import { idParams } from './fields.ts';
import { answers, noBody, success } from './route-schema.ts';
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
  })
  .meta({ id: 'MonthVersion' });

/** `…/metrics/{id}/months`: the life of a month (spec §3). */
export const monthRoutes = (app: Api, dependencies: ApiDependencies): void => {
  const { warehouse, clock } = dependencies;

  app.get(
    '/metrics/:id/months',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(z.array(monthRecord), {
        tag: 'Months',
        summary: 'The last twelve months, newest first, the running one included',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const metric = await foundMetric(dependencies, caller, request.params.id);
      return success((await monthsOf(dependencies, caller, [metric])).get(metric.id) ?? []);
    },
  );

  app.post(
    '/metrics/:id/months/:month/lock',
    {
      config: { access: 'admin', feature: 'unit_economics' },
      schema: answers(monthRecord, {
        tag: 'Months',
        summary: 'Lock a month, or lock it again after a value changed, as a new version',
        body: noBody,
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
