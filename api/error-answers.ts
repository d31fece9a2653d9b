import type { FastifyError, FastifyInstance } from 'fastify';
import { ServiceError } from '../domain/errors.ts';

/** What a framework error tells its caller, by Fastify's code; others of its 4xx keep their own words. */
const FRAMEWORK_MESSAGES: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'body: expected JSON, got text that cannot be parsed',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content-type: expected application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body: too large',
};

/** Maps every error to the one envelope (contract §1). What is unexpected is logged and told as 500, no more. */
export const answerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler<FastifyError | ServiceError>((error, request, reply) => {
    if (error instanceof ServiceError) return reply.status(error.status).send(envelope(error.message));
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500) {
      return reply.status(status).send(envelope(FRAMEWORK_MESSAGES[error.code] ?? error.message));
    }
    request.log.error({ err: error }, 'unexpected error');
    return reply.status(500).send(envelope('internal server error'));
  });
};

/** Answers routes that do not exist with a 404 in the envelope; within a scope, after the scope's own hooks. */
export const answerUnknownRoutes = (app: FastifyInstance): void => {
  app.setNotFoundHandler((request, reply) =>
    reply
      .status(404)
      .send(envelope(`${request.method} ${request.url.split('?')[0] ?? ''} does not exist; see /docs`)),
  );
};

const envelope = (error: string): { success: false; error: string } => ({ success: false, error });
