import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairPlaces, type PlaceLimits } from '../../domain/shared/fair-places.ts';
import { callerOf } from './authentication.ts';
import { closeSignal, tabularType } from '../http/tabular.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an answer can take long or much memory, for all requests or for some. */
    isHeavy?: true | ((request: FastifyRequest) => boolean);
  }
}

/** How many requests run at once. Light requests never wait for heavy requests of another organisation. */
const LIMITS = {
  light: { total: 32, each: 8, mostWaiting: 200 },
  heavy: { total: 6, each: 2, mostWaiting: 20 },
} as const satisfies Record<string, PlaceLimits>;

/**
 * Admits a request once its organisation has a free place, before the body is read. Further requests of the organisation
 * wait; beyond that number they are rejected (503). The place is free again once the answer has been sent or the caller has gone.
 */
export const admitFairly = (app: FastifyInstance): void => {
  const places = { light: new FairPlaces(LIMITS.light), heavy: new FairPlaces(LIMITS.heavy) };
  app.addHook('onRequest', async (request, reply) => {
    const { isHeavy = () => false } = request.routeOptions.config;
    const weight = isHeavy === true || isHeavy(request) || tabularType(request) !== null ? 'heavy' : 'light';
    const closed = closeSignal(reply);
    const giveBack = await places[weight].take(callerOf(request).organisation.id, closed);
    if (closed.aborted) giveBack();
    else closed.addEventListener('abort', giveBack, { once: true });
  });
};
