import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/shared/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is a file. A file may take long if its bytes keep arriving. */
    takesUpload?: true;
  }
}

/** The fewest bytes of an upload in each span. Other bodies must be complete within one span. */
const LEAST_UPLOAD_BYTES = 16 * 1024;

/** Ends a request with a 408 if its body takes longer than `patienceMs`, or if its upload stalls. */
export function limitBodies(app: FastifyInstance, patienceMs: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request)) watch(request, reply, patienceMs);
    done();
  });
}

/** Whether a body follows the headers. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function watch({ raw, routeOptions }: FastifyRequest, reply: FastifyReply, patienceMs: number): void {
  const { socket } = raw;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const bytes = socket.bytesRead - before;
    before = socket.bytesRead;
    const isSlow = routeOptions.config.takesUpload !== true || bytes < LEAST_UPLOAD_BYTES;
    const isRead = raw.listenerCount('error') > 0;
    if (raw.complete) stop();
    else if (isSlow && isRead) {
      stop();
      // Whoever reads the body answers.
      raw.emit('error', tooSlow(patienceMs));
    } else if (isSlow && reply.sent) raw.destroy();
    // Otherwise the service is the slow one, because it does not read the body yet.
  }, patienceMs).unref();
  const stop = (): void => {
    clearInterval(timer);
  };
  raw.once('end', stop);
  raw.once('close', stop);
}

const tooSlow = (patienceMs: number): ServiceError =>
  new ServiceError(
    'too_slow',
    `body: expected all of it, or of an upload ${LEAST_UPLOAD_BYTES / 1024} KiB, within ${patienceMs / 1000} seconds`,
  );
