import type { FastifyInstance } from 'fastify';
import { FairPlaces, type PlaceLimits } from '../../domain/shared/fair-places.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { callerOf } from './authentication.ts';
import { closeSignal, tabularType } from '../http/tabular.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an answer can take long or much memory, for all requests or for some. */
    isHeavy?: true | ((request: FastifyRequest) => boolean);
  }
  interface FastifyRequest {
    /** What the handler of the request does; null until it begins. */
    work: Promise<unknown> | null;
  }
}

/** How many requests run at once. Light requests never wait for heavy requests of another organisation. */
const LIMITS = {
  light: { total: 32, each: 8, mostWaiting: 200 },
  heavy: { total: 6, each: 2, mostWaiting: 20 },
} as const satisfies Record<string, PlaceLimits>;

/**
 * Admits a request once its organisation has a free place, before the body is read. Further requests of the organisation
 * wait; beyond that number they are rejected (503). The place is free again once the answer has been sent or the caller has gone,
 * and the handler has ended. Otherwise callers who leave early could start any number of statements.
 */
export const admitFairly = (app: FastifyInstance, metrics: Metrics): void => {
  app.decorateRequest('work', null);
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const work: unknown = handler.call(this, request, reply);
      if (work instanceof Promise) request.work = work;
      return work;
    };
  });
  const places = { light: new FairPlaces(LIMITS.light), heavy: new FairPlaces(LIMITS.heavy) };
  metrics.watchPlaces('light_requests', places.light);
  metrics.watchPlaces('heavy_requests', places.heavy);
  app.addHook('onRequest', async (request, reply) => {
    const { isHeavy = () => false } = request.routeOptions.config;
    const weight = isHeavy === true || isHeavy(request) || tabularType(request) !== null ? 'heavy' : 'light';
    const closed = closeSignal(reply);
    const giveBack = await places[weight].take(callerOf(request).organisation.id, closed);
    const leave = (): void => {
      void Promise.allSettled([request.work]).then(giveBack);
    };
    if (closed.aborted) leave();
    else closed.addEventListener('abort', leave, { once: true });
  });
};
