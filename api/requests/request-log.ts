import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { pathOf } from '../http/request-url.ts';

/** Returns a logger that leaves out the query of requests, which can hold a customer's labels. */
export const withPathsOnly = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  logger.child(
    {},
    {
      serializers: {
        req: ({ method, originalUrl, host, ip }: FastifyRequest) => ({
          method,
          url: pathOf(originalUrl),
          host,
          remoteAddress: ip,
        }),
      },
    },
  );
