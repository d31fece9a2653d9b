import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../../../domain/shared/errors.ts';
import { costlyJson } from '../../../domain/shared/json-cost.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import type { Api } from '../../http/api-type.ts';
import { decodeRequest, encodeAnswer, encodeError, type ExportAnswer } from './otlp-schema.ts';

const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/x-protobuf';

/** Items and fields of ten thousand points with ten attributes. */
const MOST_ITEMS = 600_000;

/**
 * Prepares a scope for OTLP over HTTP: bodies in protobuf or JSON, which the schema of the route checks, and answers in the type of
 * the request. Errors in JSON are those of all routes. In protobuf they have the same message, as OTLP wants it.
 */
export function speakOtlp(app: Api): void {
  app.removeAllContentTypeParsers();
  const parse = (type: string, read: (bytes: Buffer) => unknown): void => {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) =>
      Promise.resolve(read(bytes)),
    );
  };
  parse(JSON_TYPE, readJson);
  parse(PROTOBUF_TYPE, decodeRequest);
  app.addContentTypeParser('*', (request, _payload, done) => {
    const type = request.headers['content-type'];
    done(
      new ServiceError(
        'unsupported_type',
        `content-type: expected ${PROTOBUF_TYPE} or ${JSON_TYPE}, got ${forMessage(type)}`,
      ),
    );
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || !isProtobuf(request) || typeof payload !== 'string') done(null, payload);
    else {
      reply.type(PROTOBUF_TYPE).removeHeader('content-length');
      const { error } = JSON.parse(payload) as { error: string };
      done(null, encodeError(error));
    }
  });
}

function readJson(bytes: Buffer): unknown {
  const problem = costlyJson(bytes, MOST_ITEMS);
  if (problem !== null) throw invalid(`body: ${problem}`);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw invalid('body: expected JSON, got text that cannot be parsed');
  }
}

const isProtobuf = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === PROTOBUF_TYPE;

/** Returns an answer in the type of its request. */
export const inTypeOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ExportAnswer,
): ExportAnswer | FastifyReply =>
  isProtobuf(request) ? reply.type(PROTOBUF_TYPE).send(encodeAnswer(answer)) : answer;
