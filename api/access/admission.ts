import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairPlaces, type PlaceLimits } from '../../domain/shared/fair-places.ts';
import { callerOf } from './authentication.ts';
import { closeSignal, tabularType } from '../http/tabular.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an answer can take long, or much memory; or that of some requests. */
    isHeavy?: true | ((request: FastifyRequest) => boolean);
  }
}

/** How many requests are under way at once. Light requests never wait for the heavy ones of another organisation. */
const LIMITS = {
  light: { total: 32, each: 8, mostWaiting: 200 },
  heavy: { total: 6, each: 2, mostWaiting: 20 },
} as const satisfies Record<string, PlaceLimits>;

/**
 * Admits each request once its organisation has a place for it, before its body is read. An organisation's further requests
 * wait, and beyond that are refused (503). The place is given back when the answer has gone, or the caller has.
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
