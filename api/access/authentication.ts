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

/** The organisation and key of a request, and the quota that is left. */
export interface Caller {
  organisation: KeyHolder['organisation'];
  key: KeyHolder['key'];
  quota: Quota;
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

/**
 * Checks every request under /api/v1 before its body is read: key (401), quota (429), permission (403), plan (403). The
 * routes check parameters, existence and state (contract §1).
 */
export const authenticate = (
  app: FastifyInstance,
  { warehouse, clock, meter }: { warehouse: Warehouse; clock: Clock; meter: CallMeter },
): void => {
  const lookUp = createKeyLookup(warehouse, clock);
  app.decorateRequest('caller', null);
  app.decorateRequest('metered', null);

  app.addHook('onRequest', async (request, reply) => {
    const holder = await authenticated(request, lookUp, clock);
    const metered = await meter.count(holder);
    request.metered = metered;
    request.caller = { organisation: holder.organisation, key: holder.key, quota: metered.quota };
    request.log = request.log.child({ organisation: holder.organisation.id, key: holder.key.id });
    setQuotaHeaders(reply, metered.quota);
    if (!metered.admitted && metered.quota.limit !== null) {
      reply.header('retry-after', metered.quota.resetSeconds);
      throw new ServiceError('quota_exceeded', quotaMessage(holder.organisation.tier, metered.quota.limit));
    }
    const { access, feature } = request.routeOptions.config;
    if (access !== undefined && !permits(holder.key.permission, access)) {
      throw forbidden(permissionMessage(holder.key.permission, access));
    }
    if (feature !== undefined && !includes(holder.organisation.tier, feature)) {
      throw forbidden(planMessage(holder.organisation.tier, feature));
    }
  });

  // The count is stored while the route works, and the answer waits for both. If that fails, the error does not wait again.
  app.addHook('onSend', async (request) => {
    const { metered } = request;
    request.metered = null;
    await metered?.stored;
  });
};

const authenticated = async (
  request: FastifyRequest,
  lookUp: (keyId: string) => Promise<KeyHolder | null>,
  clock: Clock,
): Promise<KeyHolder> => {
  const secret = request.headers['x-api-key'];
  if (typeof secret !== 'string' || secret === '')
    throw unauthenticated('X-API-Key: expected an API key, got nothing');
  const keyId = keyIdOf(secret);
  const holder = keyId === null ? null : await lookUp(keyId);
  if (holder === null || !matches(secret, holder.secretHash))
    throw unauthenticated('X-API-Key: this API key is not valid');
  if (holder.revoked) throw unauthenticated('X-API-Key: this API key was revoked');
  const { expires_at } = holder.key;
  if (expires_at !== null && Date.parse(expires_at) <= clock.now().getTime()) {
    throw unauthenticated(`X-API-Key: this API key expired at ${expires_at}`);
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
