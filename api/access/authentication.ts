import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/shared/clock.ts';
import { forbidden, ServiceError } from '../../domain/shared/errors.ts';
import type { ApiActor, Through } from '../../domain/organisations/actor.ts';
import { permissionMessage, permits, type Permission } from '../../domain/organisations/permissions.ts';
import { includes, planMessage, quotaMessage } from '../../domain/organisations/tiers.ts';
import type { KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { By } from '../../warehouse/engine/records/versioned-records.ts';
import type { Revisions } from '../../warehouse/engine/cache/revisions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { CallMeter, MeteredCall, Quota } from './call-meter.ts';
import { sentKey } from './sent-key.ts';
import type { SessionGate } from './session/session-gate.ts';
import type { Tickets } from './tickets.ts';
import { createKeyCheck } from './valid-key.ts';

/** Who sends a request, in which organisation and with which permission, and the quota that is left. */
export interface Caller {
  organisation: KeyHolder['organisation'];
  actor: ApiActor;
  permission: Permission;
  expiresAt: string | null;
  quota: Quota;
  /** Began after the request, so that an answer may use whatever has not changed since. */
  revisions: Revisions;
  /** Set once the audit log has recorded that the caller saw revenue. */
  sawRevenue?: true;
}

/**
 * A call whose requests the service sends to itself, with a ticket for it instead of a key: one that the assistant's gate has
 * authenticated and counted (docs/http.md#ask-through-an-ai-assistant), or one before anybody asks (answer-ahead.ts). `closed`
 * aborts once nobody waits for it any more.
 */
export interface OwnCall {
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
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('the route is not behind authentication');
  return request.caller;
}

/** Returns the holder of a key as a caller. */
export const callerWith = (
  { organisation, key: { id, name, permission, expires_at } }: KeyHolder,
  quota: Quota,
  revisions: Revisions,
  through?: Through,
): Caller => ({
  organisation,
  actor: { type: 'key', id, name, ...(through === undefined ? {} : { through }) },
  permission,
  expiresAt: expires_at,
  quota,
  revisions,
});

/** Returns the author and time of a change by the caller. */
export const changeBy = ({ actor }: Caller, now: Date): By<ApiActor> => ({ actor, now });

interface Authentication {
  warehouse: Warehouse;
  clock: Clock;
  meter: CallMeter;
  /** The tickets of requests that the service sends to itself, in the scope that it sends them to. */
  tickets?: Tickets<OwnCall>;
  /** Set in a scope that accepts browser sessions. A key that is sent as well comes first. */
  sessions?: SessionGate;
}

/**
 * Checks every request of a scope before its body is read: key or session (401), quota (429), permission (403), plan (403). The
 * routes check parameters, existence and state (docs/http.md#what-all-answers-have-in-common).
 */
export function authenticate(
  app: FastifyInstance,
  { warehouse, clock, meter, tickets, sessions }: Authentication,
): void {
  const checkKey = createKeyCheck(warehouse, clock);
  app.decorateRequest('caller', null);
  app.decorateRequest('metered', null);

  const counted = (
    request: FastifyRequest,
    reply: FastifyReply,
    metered: MeteredCall,
    of: Caller,
  ): Caller => {
    request.metered = metered;
    const caller = knownAs(request, of);
    const { quota, admitted } = metered;
    setQuotaHeaders(reply, quota);
    if (!admitted && quota.limit !== null) {
      reply.header('retry-after', quota.resetSeconds);
      throw new ServiceError('quota_exceeded', quotaMessage(caller.organisation.tier, quota.limit));
    }
    return caller;
  };

  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const ownCall = tickets?.redeem(request) ?? null;
    if (ownCall !== null) {
      endOnceClosed(ownCall, reply);
      return knownAs(request, { ...ownCall.caller, revisions: await warehouse.revisions() });
    }
    if (sessions?.isFor(request) === true) {
      const session = await sessions.admit(request, reply);
      const metered = await meter.countInSession(session.holder, session.revisions);
      const { holder, revisions } = session;
      return counted(request, reply, metered, callerWith(holder, metered.quota, revisions, 'session'));
    }
    const sent = sentKey(request);
    const revisions = await warehouse.revisions();
    const holder = await checkKey(sent, revisions);
    const metered = await meter.count(holder, revisions);
    return counted(request, reply, metered, callerWith(holder, metered.quota, revisions));
  };

  app.addHook('onRequest', async (request, reply) => {
    const { organisation, permission } = await admit(request, reply);
    const { access, plan } = request.routeOptions.config;
    if (access !== undefined && !permits(permission, access)) {
      throw forbidden(permissionMessage(permission, access));
    }
    if (plan !== undefined && !includes(organisation.tier, plan)) {
      throw forbidden(planMessage(organisation.tier, plan));
    }
  });

  // The count is stored while the route works, and the answer waits for both. If that fails, the error does not wait again.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const stored = request.metered?.stored ?? null;
    request.metered = null;
    if (stored === null) done();
    else
      stored.then(() => {
        done();
      }, done);
  });
}

/** Makes the caller known to the routes and the log of a request, and returns it. */
export function knownAs(request: FastifyRequest, caller: Caller): Caller {
  const { type, id, through } = caller.actor;
  const fields = { organisation: caller.organisation.id, [type]: id };
  request.caller = caller;
  request.log = request.log.child(through === undefined ? fields : { ...fields, through });
  return caller;
}

/** Ends the answer to a call once nobody waits for it. */
function endOnceClosed({ closed }: OwnCall, { raw }: FastifyReply): void {
  const end = (): void => {
    raw.destroy();
  };
  if (closed.aborted) end();
  else closed.addEventListener('abort', end, { once: true });
}

function setQuotaHeaders(reply: FastifyReply, { limit, remaining, resetSeconds }: Quota): void {
  if (limit === null || remaining === null) return;
  reply
    .header('ratelimit-limit', limit)
    .header('ratelimit-remaining', remaining)
    .header('ratelimit-reset', resetSeconds);
}
