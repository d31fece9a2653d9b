import { hash } from 'node:crypto';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Clock } from '../../domain/shared/clock.ts';
import { dayOf } from '../../domain/shared/calendar.ts';
import type { Derived, Found } from '../../warehouse/engine/cache/derived-cache.ts';
import { ALL_BUT_VALUES, ALL_SHOWN, ofMetric, type Part } from '../../warehouse/engine/cache/revisions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { splittingMetrics } from '../../warehouse/teams/splitting-metrics.ts';
import { JSON_TYPE } from '../http/error-answers.ts';
import { tabularType } from '../http/files/tabular.ts';
import { callerOf, type Caller } from './authentication.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether an answer depends only on its URL, the day, the permission of the caller, and rows of tables that are followed
     * (`ALL_SHOWN`). Then it is kept until any of them changes. If it is made only of spend, or of bills, it outlives changes of
     * values that it does not depend on.
     */
    isCached?: true | { madeOf: 'spend' | 'bills' };
  }
  interface FastifyRequest {
    /** Where the answer to the request is kept. */
    place: Found<Answer> | null;
  }
}

type IsCached = NonNullable<FastifyContextConfig['isCached']>;

/** The bytes of an answer, and the tag of its content. */
interface Answer {
  body: Buffer;
  etag: string;
}

const ANSWER: Omit<Derived<Answer>, 'from'> = {
  name: 'answer',
  bytesOf: ({ body }) => body.length,
};

/**
 * Returns what an answer is made of. Spend does not depend on values of metrics, and bills only on those that split shared costs.
 * Whatever makes another metric split costs is itself a change of the answer.
 */
async function partsOf(warehouse: Warehouse, caller: Caller, isCached: IsCached): Promise<readonly Part[]> {
  if (isCached === true) return [ALL_SHOWN];
  if (isCached.madeOf === 'spend') return [ALL_BUT_VALUES];
  const { id } = caller.organisation;
  const splitting = await splittingMetrics(warehouse, warehouse.cache.of(caller.revisions, id), id);
  return [ALL_BUT_VALUES, ...splitting.flatMap((metric) => ofMetric(metric, ['metric_value_changes']))];
}

/**
 * Answers a request from memory if the same one was answered before, and nothing that its answer can depend on has changed. Other
 * answers of these routes are kept, but never revenue: each view of it must reach the audit log. The tag is made from the
 * content. So it is the same on all nodes, and a client that has the content gets a 304.
 */
export function cacheResponses(
  app: FastifyInstance,
  { warehouse, clock }: { warehouse: Warehouse; clock: Clock },
): void {
  app.decorateRequest('place', null);

  /** Sends what is known, or remembers where to keep the answer. Returns whether it has sent it. */
  const sendKnown = async (
    request: FastifyRequest,
    reply: FastifyReply,
    isCached: IsCached,
  ): Promise<boolean> => {
    const caller = callerOf(request);
    const key = `${dayOf(clock.now())} ${visibilityOf(caller)} ${request.url}`;
    const from = await partsOf(warehouse, caller, isCached);
    const answer = { ...ANSWER, from };
    const place = await warehouse.cache.find(caller.revisions, answer, caller.organisation.id, key);
    const known = await place.known;
    if (known === null) request.place = place;
    else reply.type(JSON_TYPE).send(tagged(request, reply, known));
    return known !== null;
  };

  // Hooks with `done` cost less than those with promises, and every request runs them.
  app.addHook('onRequest', (request, reply, done) => {
    const { isCached } = request.routeOptions.config;
    if (isCached === undefined || tabularType(request) !== null) done();
    else
      sendKnown(request, reply, isCached).then((isSent) => {
        if (!isSent) done();
      }, done);
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const { place } = request;
    if (
      place === null ||
      reply.statusCode !== 200 ||
      typeof payload !== 'string' ||
      callerOf(request).sawRevenue === true
    ) {
      done();
      return;
    }
    const body = Buffer.from(payload);
    const answer = { body, etag: `"${hash('sha1', body, 'base64url')}"` };
    place.keep(Promise.resolve(answer));
    done(null, tagged(request, reply, answer));
  });
}

/** Tags an answer. Returns its body, or nothing if the client has it. */
function tagged(request: FastifyRequest, reply: FastifyReply, { body, etag }: Answer): Buffer | null {
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Accept, X-API-Key, Cookie');
  // Without the request's Cache-Control: fetch sends no-cache along with each If-None-Match.
  const { 'if-none-match': known } = request.headers;
  if (!fresh({ 'if-none-match': known }, { etag })) return body;
  reply.code(304);
  return null;
}

/** What a caller may see, apart from its organisation's rows. */
const visibilityOf = ({ actor, permission }: Caller): string =>
  actor.through === 'assistant' ? `${permission} through the assistant` : permission;
