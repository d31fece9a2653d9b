import { context } from '@opentelemetry/api';
import { LogController, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify';
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

const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/api/v1/health']);

/**
 * Logs one line for each request, after its answer. The line has the organisation and the key. A probe or a scrape has a line only
 * if it fails.
 */
export class OneLinePerRequest extends LogController {
  override incomingRequest(): void {
    // Everything is in the line of the completed request.
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // Probes and scrapes come every few seconds.
    if (PROBES.has(request.routeOptions.url ?? '') && reply.statusCode < 400 && !error) return;
    const line = { req: request, res: reply, responseTime: reply.elapsedTime };
    // The event that ends an answer does not carry the context of its request.
    context.with(request.traced ?? context.active(), () => {
      if (error) request.log.error({ ...line, err: error }, 'request errored');
      else request.log.info(line, 'request completed');
    });
  }
}
