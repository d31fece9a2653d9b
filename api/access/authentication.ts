import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/shared/clock.ts';
import { forbidden, ServiceError, unauthenticated } from '../../domain/shared/errors.ts';
import { permissionMessage, permits } from '../../domain/organisations/permissions.ts';
import { includes, planMessage, quotaMessage } from '../../domain/organisations/tiers.ts';
import type { KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { By } from '../../warehouse/engine/records/versioned-records.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { keyIdOf, matches } from './api-key.ts';
import type { CallMeter, MeteredCall, Quota } from './call-meter.ts';
import { createKeyLookup } from './key-lookup.ts';
import { sentKey, type KeyHeaders, type SentKey } from './sent-key.ts';
import type { Tickets } from './tickets.ts';

/** The organisation and key of a request, and the quota that is left. */
export interface Caller {
  organisation: KeyHolder['organisation'];
  key: KeyHolder['key'];
  quota: Quota;
  /** Set if the caller asks through the assistant, which sees less revenue. */
  through?: 'assistant';
}

/**
 * A call that the assistant's gate has authenticated and counted. Its requests to the API carry a ticket for it instead of a key
 * (contract §3, Assistant). `closed` aborts once the client has gone.
 */
export interface AssistantCall {
  caller: Caller;
  closed: AbortSignal;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every authenticated request; read it with `callerOf`. */
    caller: Caller | null;
    metered: MeteredCall | null;
  }
}

/** The caller of an authenticated request. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (request.caller === null) throw new Error('the route is not behind authentication');
  return request.caller;
};

/** Returns the author and time of a change by the caller. */
export const changeBy = ({ key: { id, name } }: Caller, now: Date): By => ({
  actor: { type: 'key', id, name },
  now,
});

interface Authentication {
  warehouse: Warehouse;
  clock: Clock;
  meter: CallMeter;
  keyHeaders: KeyHeaders;
  /** The tickets of the assistant's gate, in the scope that it sends its requests to. */
  tickets?: Tickets<AssistantCall>;
}

/**
 * Checks every request of a scope before its body is read: key (401), quota (429), permission (403), plan (403). The routes
 * check parameters, existence and state (contract §1).
 */
export const authenticate = (
  app: FastifyInstance,
  { warehouse, clock, meter, keyHeaders, tickets }: Authentication,
): void => {
  const lookUp = createKeyLookup(warehouse, clock);
  app.decorateRequest('caller', null);
  app.decorateRequest('metered', null);

  const admitCounted = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const holder = await authenticated(sentKey(request, keyHeaders), lookUp, clock);
    const metered = await meter.count(holder);
    request.metered = metered;
    const { organisation, key } = holder;
    const { quota } = metered;
    const caller = knownAs(request, { organisation, key, quota });
    setQuotaHeaders(reply, quota);
    if (!metered.admitted && quota.limit !== null) {
      reply.header('retry-after', quota.resetSeconds);
      throw new ServiceError('quota_exceeded', quotaMessage(organisation.tier, quota.limit));
    }
    return caller;
  };

  app.addHook('onRequest', async (request, reply) => {
    const assistantCall = tickets?.redeem(request) ?? null;
    const { organisation, key } =
      assistantCall === null
        ? await admitCounted(request, reply)
        : knownAs(request, throughAssistant(assistantCall, reply));
    const { access, feature } = request.routeOptions.config;
    if (access !== undefined && !permits(key.permission, access)) {
      throw forbidden(permissionMessage(key.permission, access));
    }
    if (feature !== undefined && !includes(organisation.tier, feature)) {
      throw forbidden(planMessage(organisation.tier, feature));
    }
  });

  // The count is stored while the route works, and the answer waits for both. If that fails, the error does not wait again.
  app.addHook('onSend', async (request) => {
    const { metered } = request;
    request.metered = null;
    await metered?.stored;
  });
};

/** Makes the caller known to the routes and the log of a request, and returns it. */
const knownAs = (request: FastifyRequest, caller: Caller): Caller => {
  const { organisation, key, through } = caller;
  const fields = { organisation: organisation.id, key: key.id };
  request.caller = caller;
  request.log = request.log.child(through === undefined ? fields : { ...fields, through });
  return caller;
};

/** Returns the caller with the mark of the assistant, and ends the request once the client has gone. */
const throughAssistant = ({ caller, closed }: AssistantCall, { raw }: FastifyReply): Caller => {
  const end = (): void => {
    raw.destroy();
  };
  if (closed.aborted) end();
  else closed.addEventListener('abort', end, { once: true });
  return { ...caller, through: 'assistant' };
};

const authenticated = async (
  { header, secret }: SentKey,
  lookUp: (keyId: string) => Promise<KeyHolder | null>,
  clock: Clock,
): Promise<KeyHolder> => {
  const keyId = keyIdOf(secret);
  const holder = keyId === null ? null : await lookUp(keyId);
  if (holder === null || !matches(secret, holder.secretHash))
    throw unauthenticated(`${header}: this API key is not valid`);
  if (holder.revoked) throw unauthenticated(`${header}: this API key was revoked`);
  const { expires_at } = holder.key;
  if (expires_at !== null && Date.parse(expires_at) <= clock.now().getTime()) {
    throw unauthenticated(`${header}: this API key expired at ${expires_at}`);
  }
  return holder;
};

const setQuotaHeaders = (reply: FastifyReply, { limit, remaining, resetSeconds }: Quota): void => {
  if (limit === null || remaining === null) return;
  reply
    .header('ratelimit-limit', limit)
    .header('ratelimit-remaining', remaining)
    .header('ratelimit-reset', resetSeconds);
};
