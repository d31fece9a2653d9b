import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Clock } from '../../domain/shared/clock.ts';
import { dayOf } from '../../domain/shared/calendar.ts';
import type { Derived, Found } from '../../warehouse/engine/states/memory.ts';
import { ALL_SHOWN } from '../../warehouse/engine/states/states.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { JSON_TYPE } from '../http/error-answers.ts';
import { tabularType } from '../http/tabular.ts';
import { callerOf, type Caller } from './authentication.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether an answer depends only on its URL, the day, the permission of the caller, and rows of tables that are followed
     * (`ALL_SHOWN`). Then it is kept until any of them changes.
     */
    isKept?: true;
  }
  interface FastifyRequest {
    /** Where the answer to the request is kept. */
    place: Found<Answer> | null;
  }
}

/** The bytes of an answer, and the tag of its content. */
interface Answer {
  body: Buffer;
  etag: string;
}

const ANSWER: Derived<Answer> = {
  name: 'answer',
  from: [ALL_SHOWN],
  bytesOf: ({ body }) => body.length,
};

/**
 * Answers a request from memory if the same one was answered before, and nothing that its answer can depend on has changed. Other
 * answers of these routes are kept, but never revenue: each view of it must reach the audit log. The tag is made from the
 * content. So it is the same on all nodes, and a client that has the content gets a 304.
 */
export const keepAnswers = (
  app: FastifyInstance,
  { warehouse, clock }: { warehouse: Warehouse; clock: Clock },
): void => {
  app.decorateRequest('place', null);

  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isKept !== true || tabularType(request) !== null) return;
    const caller = callerOf(request);
    const key = `${dayOf(clock.now())} ${visibilityOf(caller)} ${request.url}`;
    request.place = await warehouse.memory.find(caller.look, ANSWER, caller.organisation.id, key);
    const known = await request.place.known;
    if (known === null) return;
    request.place = null;
    await reply.type(JSON_TYPE).send(tagged(request, reply, known));
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const { place } = request;
    if (place === null || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    if (callerOf(request).sawRevenue === true) return payload;
    const body = Buffer.from(payload);
    const answer = { body, etag: `"${hash('sha1', body, 'base64url')}"` };
    place.keep(Promise.resolve(answer));
    return tagged(request, reply, answer);
  });
};

/** Tags an answer. Returns its body, or nothing if the client has it. */
const tagged = (request: FastifyRequest, reply: FastifyReply, { body, etag }: Answer): Buffer | null => {
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Accept, X-API-Key, Cookie');
  // Without the request's Cache-Control: fetch sends no-cache along with each If-None-Match.
  const { 'if-none-match': known } = request.headers;
  if (!fresh({ 'if-none-match': known }, { etag })) return body;
  reply.code(304);
  return null;
};

/** What a caller may see, apart from its organisation's rows. */
const visibilityOf = ({ key, through }: Caller): string =>
  through === 'assistant' ? `${key.permission} through the assistant` : key.permission;
