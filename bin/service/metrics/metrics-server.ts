import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Api } from '../../../api/http/api-type.ts';
import { metricsRoutes } from '../../../api/operations/operations.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { Closer } from '../temporal/workers.ts';

/** Serves `/livez` and all `/metrics` to the operator, on a port of their own. Returns its address and its end. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; close: Closer }> {
  const app: Api = Fastify({ forceCloseConnections: true }).withTypeProvider<ZodTypeProvider>();
  metricsRoutes(app, [metrics.registry, metrics.ofTenants]);
  return { url: await app.listen({ host, port }), close: () => app.close() };
}
