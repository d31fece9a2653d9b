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

/** Logs one line for each request, after its answer. The line has the organisation and the key. */
export class OneLinePerRequest extends LogController {
  override incomingRequest(): void {
    // Everything is in the line of the completed request.
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const line = { req: request, res: reply, responseTime: reply.elapsedTime };
    if (error) request.log.error({ ...line, err: error }, 'request errored');
    else request.log.info(line, 'request completed');
  }
}
