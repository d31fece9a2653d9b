import type { FastifyInstance, FastifyRequest } from 'fastify';
import { workingOn } from '../../telemetry/current-work.ts';

/**
 * Names the request that code belongs to, in case the process ends of it. Names it again once its body is read, because the
 * events of a connection belong to no request.
 */
export function nameRequests(app: FastifyInstance): void {
  const name = ({ id, method, routeOptions }: FastifyRequest, _reply: unknown, done: () => void): void => {
    workingOn({ request: id, route: `${method} ${routeOptions.url ?? ''}` }, done);
  };
  app.addHook('onRequest', name);
  app.addHook('preValidation', name);
}
