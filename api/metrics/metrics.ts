import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { permissionMessage, permits } from '../../domain/organisations/permissions.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { forbidden } from '../../domain/shared/errors.ts';
import { latestUnitCost, type MonthRecord } from '../../domain/months/month-record.ts';
import {
  createMetric,
  defaultRise,
  METRICS,
  updateMetric,
  type Metric,
} from '../../warehouse/metrics/metrics.ts';
import { importStates, type ImportState } from '../../warehouse/imports/import-states.ts';
import { pickWarnings } from '../../warehouse/spend/picks/pick-warnings.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { maySeeNumbers, privateForm, type NamedMetric } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { idParams } from '../http/fields.ts';
import { found } from '../http/found.ts';
import {
  changedMetric,
  createdMetric,
  foundMetric,
  metricChanges,
  metricRecord,
  newMetric,
  shownMetric,
  shownMetricWithMonths,
} from './metric-fields.ts';
import { monthsOf } from '../months/read-months.ts';
import { changesOf, validCurrency, targetText } from './metric-rules.ts';
import { validRise } from './rise-field.ts';
import { namedPageQuery, page } from '../http/paging.ts';
import { noBody, pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';
import { upToDate } from '../routes/up-to-date.ts';
import { disconnect } from './disconnect.ts';

const warningsOf = async (
  { warehouse, clock }: Pick<ApiDependencies, 'warehouse' | 'clock'>,
  orgId: string,
  { scope }: Pick<Metric, 'scope'>,
  stored?: Promise<Metric>,
): Promise<string[]> =>
  scope.type === 'spend' ? pickWarnings(warehouse, orgId, scope.spend, clock.now(), stored) : [];

/** Returns the record of a metric for callers who may see its numbers. */
function toWireMetric(
  { kind, currency, assistant_access, ...metric }: Metric,
  months: readonly MonthRecord[],
  state?: Pick<ImportState, 'type' | 'status'>,
): z.infer<typeof metricRecord> {
  const shown = {
    ...metric,
    target: metric.target === null ? null : toWire(metric.target),
    import: state === undefined ? null : { type: state.type, status: state.status },
    latest: latestUnitCost(months),
  };
  return kind === 'count'
    ? { ...shown, kind }
    : { ...shown, kind, label_key: null, rise: null, currency, assistant_access };
}

/** Throws a 403 for a key that only sends values and asks for all metrics. It may look up one by its name. */
function refuseUnnamed(request: FastifyRequest): void {
  const { permission } = callerOf(request);
  const { name } = request.query as { name?: unknown };
  if (name === undefined && !permits(permission, 'read'))
    throw forbidden(
      `name: expected the name of one metric to look up; without it, ${permissionMessage(permission, 'read')}`,
    );
}

async function getMetrics(request: Asked<{ query: typeof namedPageQuery }>, dependencies: ApiDependencies) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const metrics = await page(
    request.query,
    z.string(),
    (part) => METRICS.list(warehouse, caller.organisation.id, { ...part, name: request.query.name }),
    ({ id }) => id,
  );
  if (!permits(caller.permission, 'read'))
    return { ...metrics, data: metrics.data.map(({ id, name }) => ({ id, name })) };
  const reading = await upToDate(dependencies, request, 'months', clock.now(), metrics.data);
  const months = await monthsOf(dependencies, caller, metrics.data, 'metrics', reading);
  const imports = await importStates(warehouse, caller, metrics.data);
  return {
    ...metrics,
    data: metrics.data.map((metric) =>
      maySeeNumbers(caller, metric)
        ? toWireMetric(metric, months.get(metric.id) ?? [], imports.get(metric.id))
        : privateForm(metric),
    ),
  };
}

async function postMetric(request: Asked<{ body: typeof newMetric }>, dependencies: ApiDependencies) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const { target, label_key, rise = defaultRise(request.body), ...definition } = request.body;
  const currency = validCurrency(request.body, caller.organisation);
  const { id: orgId } = caller.organisation;
  const creating = createMetric(
    warehouse,
    orgId,
    {
      ...definition,
      target: targetText(target ?? null),
      label_key: label_key ?? null,
      currency,
      assistant_access: false,
      rise: validRise(definition, rise),
    },
    changeBy(caller, clock.now()),
  );
  const [metric, warnings] = await Promise.all([
    creating,
    warningsOf(dependencies, orgId, request.body, creating),
  ]);
  return success({ ...toWireMetric(metric, []), warnings });
}

/** Returns the record of a metric for callers who may see its numbers, with its last twelve months. */
async function withMonths(request: FastifyRequest, dependencies: ApiDependencies, metric: Metric) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const reading = await upToDate(dependencies, request, 'months', clock.now(), [metric]);
  const months = (await monthsOf(dependencies, caller, [metric], 'metric', reading)).get(metric.id) ?? [];
  const imports = await importStates(warehouse, caller, [metric]);
  return { ...toWireMetric(metric, months, imports.get(metric.id)), months };
}

const getMetric = async (request: Asked, dependencies: ApiDependencies, { metric }: NamedMetric) =>
  success(
    maySeeNumbers(callerOf(request), metric)
      ? await withMonths(request, dependencies, metric)
      : privateForm(metric),
  );

async function patchMetric(
  request: Asked<{ params: typeof idParams; body: typeof metricChanges }>,
  dependencies: ApiDependencies,
  { metric: before }: NamedMetric,
) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const { id: orgId } = caller.organisation;
  const changes = changesOf(before, request.body);
  const by = changeBy(caller, clock.now());
  const { id } = request.params;
  const metric = found('metric', id, await updateMetric(warehouse, orgId, id, changes, by));
  const shown = await withMonths(request, dependencies, metric);
  return success({ ...shown, warnings: await warningsOf(dependencies, orgId, metric) });
}

async function deleteMetric(request: AskedById, dependencies: ApiDependencies) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const by = changeBy(caller, clock.now());
  const { id } = request.params;
  const metric = found('metric', id, await updateMetric(warehouse, caller.organisation.id, id, 'delete', by));
  await disconnect(dependencies, caller, id);
  return success(toWireMetric(metric, []));
}

/** `/metrics`: business metrics and their unit costs (docs/http.md#define-a-metric). */
export const metricRoutes = tagged({ tag: 'Metrics', plan: 'unit_economics' }, [
  route('GET /metrics', {
    access: 'find_metrics',
    isCached: true,
    operationId: 'listMetrics',
    summary: 'List metrics',
    description: 'A key with `metrics:ingest` must name one, and sees its `id` and `name` only.',
    query: namedPageQuery,
    answer: pageOf(z.union([...shownMetric.options, foundMetric])),
    admit: refuseUnnamed,
    handle: getMetrics,
  }),
  route('POST /metrics', {
    access: 'admin',
    operationId: 'createMetric',
    summary: 'Define a metric',
    errors: [409],
    body: newMetric,
    answer: successOf(createdMetric),
    handle: postMetric,
  }),
  route('GET /metrics/:id', {
    access: 'read',
    isCached: true,
    operationId: 'getMetric',
    summary: 'One metric with its last twelve months',
    answer: successOf(shownMetricWithMonths),
    metric: 'name',
    handle: getMetric,
  }),
  route('PATCH /metrics/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'updateMetric',
    summary: 'Change name, unit, target, label key, rise, assistant access or picked spend',
    errors: [409],
    body: metricChanges,
    answer: successOf(changedMetric),
    metric: 'change',
    handle: patchMetric,
  }),
  route('DELETE /metrics/:id', {
    access: 'admin',
    operationId: 'deleteMetric',
    summary: 'Delete a metric by which no shared cost is split',
    errors: [409],
    body: noBody,
    answer: successOf(metricRecord),
    handle: deleteMetric,
  }),
]);
