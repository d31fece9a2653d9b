import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { permissionMessage, permits, type Permission } from '../../domain/organisations/permissions.ts';
import { includes, planMessage } from '../../domain/organisations/tiers.ts';
import { auditEach } from '../../warehouse/engine/records/audit-log.ts';
import { cachedMetric, cachedMetrics, type Metric } from '../../warehouse/metrics/metrics.ts';
import { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { callerOf, changeBy, type Caller } from './authentication.ts';
import { requested } from './requested.ts';

/** What a caller saw of revenue, for the audit log. */
export type Viewed =
  | 'metric'
  | 'metrics'
  | 'months'
  | 'overview'
  | 'values'
  | 'history'
  | 'versions'
  | 'import'
  | 'waiting'
  | 'exported months'
  | 'exported values';

type Request = FastifyRequest<{ Params: { id: string } }>;
type Dependencies = Pick<ApiDependencies, 'warehouse' | 'sealer' | 'clock'>;

/**
 * Whether a caller may see the numbers of a metric. This is the one rule of who sees revenue
 * (docs/concepts.md#revenue-and-who-sees-it): only admins do, and through the assistant only if the metric allows it. Anyone may
 * see the numbers of counts.
 */
export const maySeeNumbers = (
  { actor, permission }: Caller,
  { kind, assistant_access }: Pick<Metric, 'kind' | 'assistant_access'>,
): boolean =>
  kind === 'count' || (permits(permission, 'admin') && (actor.through !== 'assistant' || assistant_access));

/** How an admin lets the assistant read revenue. */
export const HOW_TO_ENABLE_ASSISTANT =
  'an admin sets assistant_access to true with PATCH /metrics/{id}, and the assistant uses the key of an admin';

const refusal = ({ actor, permission }: Caller, { name }: Metric): string =>
  actor.through === 'assistant'
    ? `the revenue metric ${forMessage(name)} exists, and the assistant may not read it; to enable this, ${HOW_TO_ENABLE_ASSISTANT}`
    : onlyAdmins(permission);

const onlyAdmins = (permission: Permission): string =>
  `only admins see revenue: ${permissionMessage(permission, 'admin')}`;

/** What callers see of a metric whose numbers they may not see. */
export const privateForm = ({ id, name }: Metric) => ({ id, name, kind: 'revenue' as const });

/** The numbers that a caller may see: those of `metrics`. The vault opens their revenue. */
export interface VisibleNumbers {
  metrics: Metric[];
  vault: RevenueVault;
}

/**
 * Returns which of some metrics may show the caller their numbers, and the vault that opens revenue. Nothing else makes a vault
 * for a reader. The audit log first records the view of each revenue metric (docs/concepts.md#revenue-and-who-sees-it).
 */
export async function visibleNumbers(
  { warehouse, sealer, clock }: Dependencies,
  caller: Caller,
  metrics: readonly Metric[],
  viewed: Viewed,
): Promise<VisibleNumbers> {
  const visible = metrics.filter((metric) => maySeeNumbers(caller, metric));
  const targets = visible.flatMap(({ id, kind }) => (kind === 'revenue' ? [id] : []));
  const orgId = caller.organisation.id;
  if (targets.length > 0) {
    const { actor, now } = changeBy(caller, clock.now());
    caller.sawRevenue = true;
    await auditEach(warehouse, orgId, { actor, action: 'viewed', targets, detail: { viewed } }, now);
  }
  return { metrics: visible, vault: new RevenueVault(sealer, orgId) };
}

/** Returns the same for a caller who asks for the revenue of all metrics. Throws a 403 unless the caller is an admin. */
export async function requestedRevenue(
  dependencies: Dependencies,
  caller: Caller,
  viewed: Viewed,
): Promise<VisibleNumbers> {
  const { permission, revisions, organisation } = caller;
  if (!permits(permission, 'admin')) throw forbidden(onlyAdmins(permission));
  const metrics = await cachedMetrics(revisions, dependencies.warehouse, organisation.id);
  return visibleNumbers(
    dependencies,
    caller,
    metrics.filter(({ kind }) => kind === 'revenue'),
    viewed,
  );
}

/**
 * How a request uses the metric of its path. `name` shows it to anyone, without the numbers of revenue that the caller may not see.
 * `numbers` throws a 403 for them. `viewed` does the same, opens revenue, and records the view in the audit log. `change` opens
 * revenue, and throws a 403 below its plan.
 */
export type MetricUse = 'name' | 'numbers' | 'change' | { viewed: Viewed };

/** The metric of a request. The vault opens its revenue; undefined for counts, and if the use opens none. */
export interface NamedMetric {
  metric: Metric;
  vault: RevenueVault | undefined;
}

/** Returns the metric of a request. Throws a 404, or a 403 for revenue that its use does not allow. */
export async function requestedMetric(
  dependencies: Dependencies,
  request: Request,
  use: MetricUse,
): Promise<NamedMetric> {
  const caller = callerOf(request);
  const metric = await requested(
    'metric',
    { find: cachedMetric(caller.revisions) },
    dependencies.warehouse,
    request,
  );
  const isRevenue = metric.kind === 'revenue';
  if (use === 'change' && isRevenue) {
    refuseBelowRevenuePlan(caller.organisation);
    return { metric, vault: new RevenueVault(dependencies.sealer, caller.organisation.id) };
  }
  if (use === 'name' || use === 'change') return { metric, vault: undefined };
  if (!maySeeNumbers(caller, metric)) throw forbidden(refusal(caller, metric));
  if (use === 'numbers' || !isRevenue) return { metric, vault: undefined };
  const { vault } = await visibleNumbers(dependencies, caller, [metric], use.viewed);
  return { metric, vault };
}

/** Throws a 403 for an organisation whose plan does not include revenue (docs/http.md#sign-in-with-a-key). */
export function refuseBelowRevenuePlan({ tier }: Caller['organisation']): void {
  if (!includes(tier, 'revenue')) throw forbidden(planMessage(tier, 'revenue'));
}
