import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, unavailable } from '../domain/errors.ts';

/** What a framework error tells its caller, by Fastify's code; others of its 4xx keep their own words. */
const FRAMEWORK_MESSAGES: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'body: expected JSON, got text that cannot be parsed',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body: too large',
};

/** DuckDB and the operating system say so when memory or disk run short. */
const SHORT_OF_MEMORY_OR_DISK = /^Out of Memory Error|No space left on device/i;

/** What callers wait before they try again. Most uploads and reads are done by then. */
const RETRY_AFTER_SECONDS = 5;

/** Maps every error to the one envelope (contract §1). What is unexpected is logged and told as 500, no more. */
export const answerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler<FastifyError | ServiceError>((error, request, reply) => {
    if (error instanceof ServiceError) return answer(reply, error);
    if (SHORT_OF_MEMORY_OR_DISK.test(error.message)) {
      request.log.error({ err: error }, 'short of memory or disk');
      return answer(reply, unavailable());
    }
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500) {
      return reply.status(status).send(envelope(frameworkMessage(error, request)));
    }
    request.log.error({ err: error }, 'unexpected error');
    return reply.status(500).send(envelope('internal server error'));
  });
};

const answer = (reply: FastifyReply, { kind, status, message }: ServiceError): FastifyReply => {
  if (kind === 'unavailable') reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply.status(status).send(envelope(message));
};

const frameworkMessage = ({ code, message }: FastifyError, { routeOptions }: FastifyRequest): string =>
  code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    ? `content-type: expected ${routeOptions.schema?.consumes?.join(' or ') ?? 'application/json'}`
    : (FRAMEWORK_MESSAGES[code] ?? message);

/** Answers routes that do not exist with a 404 in the envelope; within a scope, after the scope's own hooks. */
export const answerUnknownRoutes = (app: FastifyInstance): void => {
  app.setNotFoundHandler((request, reply) =>
    reply
      .status(404)
      .send(envelope(`${request.method} ${request.url.split('?')[0] ?? ''} does not exist; see /docs`)),
  );
};

/** The same for what Fastify refuses before any route is found, such as a path that cannot be decoded. */
export const answerFrameworkError = (error: FastifyError, _request: unknown, reply: unknown): void => {
  const refused = reply as FastifyReply;
  // No id is that long, so there is no such thing.
  const status = error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 404 : (error.statusCode ?? 400);
  void refused.status(status).send(envelope(error.message));
};

/** And for bytes that are no HTTP request: written to the socket, for there is no reply to write to. */
export const answerBrokenHttp = (_error: unknown, socket: Socket): void => {
  if (socket.destroyed || !socket.writable) return;
  const body = JSON.stringify(envelope('expected an HTTP request, got bytes that are none'));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
};

const envelope = (error: string): { success: false; error: string } => ({ success: false, error });
