import type { FastifyReply } from 'fastify';
import { METRICS } from '../../warehouse/metrics/metrics.ts';
import { authenticate, callerOf, type OwnCall } from '../access/authentication.ts';
import { refuseOtherNames } from '../access/session/own-page.ts';
import type { CallMeter } from '../access/call-meter.ts';
import type { Tickets } from '../access/tickets.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { found } from '../http/found.ts';
import { closeSignal } from '../http/files/tabular.ts';
import { askFor } from '../access/ask-api.ts';

const PATH = '/mcp';

/** Messages must be small, because they are read before anything limits how many run at once. */
const MOST_MESSAGE_BYTES = 64 * 1024;

/** JSON-RPC's code for a message that is no valid request. */
const INVALID_REQUEST = -32_600;

/** The code that the SDK uses for requests that its transport refuses. */
const REFUSED_BY_TRANSPORT = -32_000;

/** An array of messages. The protocol has none since 2025-06-18, and the calls in one would count once. */
const BATCH = /^\s*\[/;

/**
 * `POST /mcp`: the AI assistant's gate (docs/http.md#ask-through-an-ai-assistant). It takes one message of the Model Context
 * Protocol. Each message counts as one call; the requests that a tool sends to the API do not count again. They have the limits
 * of their routes, so the gate itself waits for no place.
 */
export async function assistantRoutes(
  app: Api,
  dependencies: ApiDependencies & { meter: CallMeter; tickets: Tickets<OwnCall> },
): Promise<void> {
  const { warehouse, version, tickets, publicUrl } = dependencies;

  // Clients ask with GET whether the service sends messages by itself. They take a 405 as no.
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: PATH,
    schema: { hide: true },
    handler: (_request, reply) => {
      reply.header('allow', 'POST');
      return refuse(reply, 405, REFUSED_BY_TRANSPORT, 'Method not allowed.');
    },
  });

  await app.register(async (scope) => {
    const { clock, meter } = dependencies;
    scope.addHook('onRequest', async (request) => {
      refuseOtherNames(request, publicUrl);
    });
    authenticate(scope, { warehouse, clock, meter });
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode === 401) reply.header('www-authenticate', 'Bearer');
    });
    // The protocol reports messages that are not JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body);
    });

    scope.post(
      PATH,
      { bodyLimit: MOST_MESSAGE_BYTES, config: { access: 'read' }, schema: { hide: true } },
      async (request, reply) => {
        const body = typeof request.body === 'string' ? request.body : '';
        if (BATCH.test(body))
          return refuse(reply, 400, INVALID_REQUEST, 'Invalid Request: expected one message, got a batch');
        const { actor, ...known } = callerOf(request);
        const { organisation } = known;
        const closed = closeSignal(reply);
        const caller = { ...known, actor: { ...actor, through: 'assistant' as const } };
        const asking = {
          organisation,
          ask: askFor(app, tickets, { caller, closed }),
          definitionOf: async (id: string) =>
            found('metric', id, await METRICS.find(warehouse, organisation.id, id)),
        };
        const { headers, log } = request;
        // Only a message loads the SDK of the protocol, which few services need.
        const { answerMessage } = await import('./answer-message.ts');
        const answer = await answerMessage({ headers, body }, asking, { version, log, closed });
        for (const [name, value] of answer.headers) reply.header(name, value);
        const text = await answer.text();
        return reply.status(answer.status).send(text === '' ? undefined : text);
      },
    );
  });
}

/** Refuses a request in the form of the SDK. */
const refuse = (reply: FastifyReply, status: number, code: number, message: string): FastifyReply =>
  reply.status(status).send({ jsonrpc: '2.0', error: { code, message }, id: null });
