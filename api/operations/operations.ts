import { Registry } from 'prom-client';
import { keptFor } from '../../domain/shared/kept-for.ts';
import { countTexts, masterKeyState } from '../../security/sealed-counts.ts';
import { sealedByKeys } from '../../warehouse/engine/records/sealed-texts.ts';
import type { ApiDependencies, DiskState } from '../http/dependencies.ts';
import type { Api } from '../http/api-type.ts';

/** The state of everything that the service needs. */
export interface Condition {
  warehouse: 'ok' | 'unreachable';
  temporal: 'ok' | 'unreachable';
  disk: DiskState;
}

/** Checks that the warehouse and Temporal answer, and that the disk is writable. */
export async function conditionOf({
  warehouse,
  orchestration,
  disk,
}: Pick<ApiDependencies, 'warehouse' | 'orchestration' | 'disk'>): Promise<Condition> {
  const state = (check: Promise<void>): Promise<'ok' | 'unreachable'> =>
    check.then(
      () => 'ok',
      () => 'unreachable',
    );
  const [warehouseState, temporalState, diskState] = await Promise.all([
    state(warehouse.ping()),
    state(orchestration.ping()),
    disk(),
  ]);
  return { warehouse: warehouseState, temporal: temporalState, disk: diskState };
}

/** Whether everything that the service needs is there. */
export const isReady = (condition: Condition): boolean =>
  Object.values(condition).every((state) => state === 'ok');

/** How long `/readyz` repeats what the master keys open, because it counts all sealed texts. */
const KEY_STATE_MS = 60_000;

/** Liveness, readiness and Prometheus metrics: outside /api/v1, without a key (docs/http.md#what-all-answers-have-in-common). */
export function operationRoutes(app: Api, dependencies: ApiDependencies): void {
  const { warehouse, sealer } = dependencies;
  const { requestDuration, callsOverQuota } = dependencies.metrics;
  const keyState = keptFor(KEY_STATE_MS, async () =>
    masterKeyState(countTexts(await sealedByKeys(warehouse), sealer)),
  );
  app.addHook('onResponse', (request, reply, done) => {
    requestDuration.observe(
      { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    // Only calls that count against a limit have its headers.
    if (reply.statusCode === 429 && reply.hasHeader('ratelimit-limit')) callsOverQuota.inc();
    done();
  });

  metricsRoutes(app, [dependencies.metrics.registry]);
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const [condition, master_key] = await Promise.all([
      conditionOf(dependencies),
      keyState().catch(() => 'unknown' as const),
    ]);
    // A node whose keys open a part can serve the rest.
    const ready = isReady(condition) && master_key !== 'unreadable';
    return reply
      .status(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'unavailable', ...condition, master_key });
  });
}

/** Liveness and metrics, which a process without the API can serve, too. Anyone who reaches the port may read them. */
export function metricsRoutes(app: Api, registries: readonly Registry[]): void {
  app.get('/livez', { schema: { hide: true } }, () => ({ status: 'ok' }));
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type(Registry.PROMETHEUS_CONTENT_TYPE)
      .send((await Promise.all(registries.map((registry) => registry.metrics()))).join('\n')),
  );
}
