import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, tooLarge, unavailable, type ErrorKind } from '../../domain/shared/errors.ts';
import { isPassing } from '../../warehouse/engine/passing-failures.ts';
import { isShortOfMemory } from '../../warehouse/engine/short-of-memory.ts';
import type { DiskState } from './dependencies.ts';
import { pathOf } from './request-url.ts';

/** The HTTP status of each kind of error (docs/http.md#what-all-answers-have-in-common). */
const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  too_slow: 408,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  quota_exceeded: 429,
  unavailable: 503,
};

/** Our messages for Fastify's errors, by code. Its other 4xx errors keep their own message. */
const FRAMEWORK_MESSAGES: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'body: expected JSON, got text that cannot be parsed',
};

/** How DuckDB and the operating system report a full disk. */
const FULL_DISK = /No space left on device/i;

/** A checkpoint fails only for want of disk or memory. */
const SHORT = /Checkpoint failed for database/i;

const DISK_IS_FULL = 'the disk is full: nothing can be stored until the operator of the service frees space';

/** Seconds after which callers may retry. Most uploads and reads have finished by then. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Maps every error to the one envelope. Logs an unexpected error, and returns a bare 500.
 *
 * @param disk the state of the service's disk.
 */
export function answerErrors(app: FastifyInstance, disk: () => Promise<DiskState>): void {
  app.setErrorHandler<FastifyError | ServiceError>(async (error, request, reply) => {
    if (error instanceof ServiceError) return answer(reply, error);
    const isFull = FULL_DISK.test(error.message);
    if (isFull || isShortOfMemory(error) || SHORT.test(error.message) || isPassing(error)) {
      request.log.error({ err: error }, 'short of memory or disk, or the warehouse is away');
      return answer(reply, isFull || (await disk()) === 'full' ? unavailable(DISK_IS_FULL) : unavailable());
    }
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500) {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') await outlastBody(request, reply);
      return reply.status(status).send(envelope(frameworkMessage(error, request)));
    }
    request.log.error({ err: error }, 'unexpected error');
    return reply.status(500).send(envelope('internal server error'));
  });
}

/**
 * Keeps the connection for a client that still sends its body, who could lose the answer if it closes. Node discards the rest
 * after the answer, unless the client wants the connection closed. The limit of each body's time holds in both cases.
 */
async function outlastBody({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.removeHeader('connection');
  if (!reply.raw.shouldKeepAlive) await finished(raw.resume()).catch(() => undefined);
}

function answer(reply: FastifyReply, { kind, message }: ServiceError): FastifyReply {
  if (kind === 'unavailable') reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (kind === 'too_slow') reply.header('connection', 'close');
  return reply.status(STATUS[kind]).send(envelope(message));
}

function frameworkMessage({ code, message }: FastifyError, { routeOptions }: FastifyRequest): string {
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return `content-type: expected ${routeOptions.schema?.consumes?.join(' or ') ?? 'application/json'}`;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(routeOptions.bodyLimit).message;
  return FRAMEWORK_MESSAGES[code] ?? message;
}

/**
 * Returns a 404 in the envelope for unknown routes, unless `other` returns an answer. Within a scope, its hooks run first.
 */
export function answerUnknownRoutes(
  app: FastifyInstance,
  other: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null = () => null,
): void {
  app.setNotFoundHandler(
    (request, reply) =>
      other(request, reply) ??
      reply
        .status(404)
        .send(envelope(`${request.method} ${pathOf(request.originalUrl)} does not exist; see /docs`)),
  );
}

/** Answers a request that Fastify rejects before routing, for example a path that cannot be decoded. */
export function answerFrameworkError(error: FastifyError, _request: unknown, reply: unknown): void {
  const refused = reply as FastifyReply;
  void refused.status(error.statusCode ?? 400).send(envelope(error.message));
}

/** The content type that Fastify gives its own JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers bytes that are not an HTTP request, or that arrive too slowly. */
export function answerBrokenHttp({ code }: NodeJS.ErrnoException, socket: Socket): void {
  const [status, message] = BROKEN_HTTP[code ?? ''] ?? [400, 'expected an HTTP request, got other bytes'];
  socketAnswer(socket, status, message);
}

const BROKEN_HTTP: Record<string, [status: number, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'expected the whole request, it took too long'],
  HPE_HEADER_OVERFLOW: [431, 'headers: too large'],
};

/** Writes an answer to a connection that has no reply object, and closes the connection. */
export function socketAnswer(socket: Duplex, status: number, message: string): void {
  if (socket.destroyed || !socket.writable) return;
  const body = JSON.stringify(envelope(message));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Only a reader notices when the client stops sending. A client that never stops must not hold the connection.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** How long a client may continue to send after its answer. */
const LINGER_MS = 2_000;

/** The envelope of every error (docs/http.md#what-all-answers-have-in-common). */
export const envelope = (error: string): { success: false; error: string } => ({ success: false, error });
