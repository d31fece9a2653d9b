import type { FastifyInstance } from 'fastify';

/** Where answers can hold secrets or revenue. */
const PRIVATE = /^\/(api|operator|mcp)(\/|$|\?)/;

/** Keeps answers out of every cache, unless a route or a hook sets other rules (api/access/response-cache.ts). */
export function storeNothing(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (PRIVATE.test(request.url)) reply.header('cache-control', 'no-store');
    done();
  });
}
