import { z } from 'zod';
import { METRIC_KINDS } from '../../domain/metrics/metric.ts';
import { glanceAt, glanceOf, type Glance } from '../../domain/months/overview.ts';
import { sideBySide } from '../../domain/shared/side-by-side.ts';
import { valueToWire } from '../../domain/shared/decimals.ts';
import { importStates } from '../../warehouse/imports/import-states.ts';
import { cachedMetrics } from '../../warehouse/metrics/metrics.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { maySeeNumbers, privateForm } from '../access/revenue-access.ts';
import { latestMonth } from '../months/month-fields.ts';
import { shownOf } from '../months/read-months.ts';
import { privateMetric } from '../metrics/metric-fields.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import { upToDate } from '../routes/up-to-date.ts';

const percent = z.number().nullable();

/** A metric at a glance. */
const glanceRecord = z
  .object({
    metric: z.object({ id: z.string(), name: z.string(), unit: z.string(), kind: z.enum(METRIC_KINDS) }),
    latest: latestMonth.nullable(),
    change_basis: z
      .enum(['month', 'same_days'])
      .nullable()
      .describe('What the changes compare, as in `latest`; null without a latest month'),
    spend_change_percent: percent.describe(
      'Change of the latest month’s cost from the month before; of the running month, from the same days of it',
    ),
    unit_cost_change_percent: percent.describe('Change of the unit cost, or of the cost share of revenue'),
    opposite_directions: z
      .boolean()
      .describe('Spend rises while the unit cost falls, or the other way round'),
    target: z.number().nullable().describe('Highest unit cost, or cost share of revenue in percent'),
    above_target: z.boolean(),
    sparkline: z
      .array(z.number().nullable())
      .describe('Unit costs, or cost shares of revenue, of the last twelve months, oldest first'),
    import_status: z
      .enum(['connected', 'paused', 'failed'])
      .nullable()
      .describe('Null without a daily import'),
  })
  .meta({ id: 'Glance' });

/** A revenue metric, to those who may not see its numbers. */
const privateGlance = z.object({ metric: privateMetric }).meta({ id: 'PrivateGlance' });

/** A metric at a glance, as it is cached. */
const GLANCE = { name: 'metric at a glance', bytesOf: (_: Glance) => GLANCE_BYTES };

const GLANCE_BYTES = 500;

async function getOverview(request: Asked, dependencies: ApiDependencies) {
  const caller = callerOf(request);
  const { warehouse, clock } = dependencies;
  const metrics = await cachedMetrics(caller.revisions, warehouse, caller.organisation.id);
  const reading = await upToDate(dependencies, request, 'months', clock.now(), metrics);
  const [glances, imports] = await sideBySide([
    shownOf(dependencies, caller, metrics, 'overview', reading, {
      ...GLANCE,
      of: (facts, metric) => glanceOf(facts, metric, reading.now),
    }),
    importStates(warehouse, caller, metrics),
  ]);
  return success(
    metrics.map((metric) => {
      if (!maySeeNumbers(caller, metric)) return { metric: privateForm(metric) };
      const { id, name, unit, kind, target } = metric;
      const glance = glances.get(id) ?? glanceAt([]);
      return {
        metric: { id, name, unit, kind },
        ...glance,
        target: target === null ? null : valueToWire(target),
        import_status: imports.get(id)?.status ?? null,
      };
    }),
  );
}

/** `/overview`: every metric at a glance. One statement reads all their months (docs/http.md#read-and-lock-months). */
export const overviewRoutes = tagged({ tag: 'Metrics', plan: 'unit_economics' }, [
  route('GET /overview', {
    access: 'read',
    isCached: true,
    isHeavy: true,
    operationId: 'getOverview',
    summary: 'Every metric at a glance, oldest first',
    answer: successOf(z.array(z.union([glanceRecord, privateGlance]))),
    handle: getOverview,
  }),
]);
