import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { dayOf } from '../../domain/shared/calendar.ts';
import { forbidden } from '../../domain/shared/errors.ts';
import { permissionMessage, permits } from '../../domain/organisations/permissions.ts';
import { audit } from '../../warehouse/engine/records/audit-log.ts';
import type { KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import {
  endSession,
  newSession,
  type BrowserSession,
} from '../../warehouse/organisations/browser-sessions.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { day, identity, instant } from '../http/fields.ts';
import { answers, noBody, success } from '../routes/route-schema.ts';
import { callerOf, callerWith, changeBy, knownAs } from '../access/authentication.ts';
import type { CallMeter } from '../access/call-meter.ts';
import { isHttps, refuseOtherSites } from '../access/session/own-page.ts';
import { clearSession, sealSession, setSession } from '../access/session/session-cookie.ts';
import type { AdmittedSession, SessionGate } from '../access/session/session-gate.ts';
import { SignInLimit } from '../access/session/sign-in-limit.ts';
import { createKeyCheck } from '../access/valid-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the routes that only a session may call. */
    admittedSession: AdmittedSession | null;
  }
}

/** More bytes than any body with a key has. Strangers may send one. */
const MOST_BYTES = 2 ** 14;

const sessionRecord = identity
  .extend({ expires_at: instant, today: day.describe('The UTC day of the service’s clock') })
  .meta({ id: 'Session' });

function admittedOf({ admittedSession }: FastifyRequest): AdmittedSession {
  if (admittedSession === null) throw new Error('the route is not behind a session');
  return admittedSession;
}

/** `POST`, `GET` and `DELETE /session`: a page of the service signs in with a key, and out (docs/http.md#browser-session). */
export function browserSessionRoutes(
  app: Api,
  {
    warehouse,
    clock,
    sealer,
    meter,
    sessions,
    metrics,
    publicUrl,
  }: ApiDependencies & { meter: CallMeter; sessions: SessionGate },
): void {
  const checkKey = createKeyCheck(warehouse, clock);
  const signIns = new SignInLimit(metrics);
  app.decorateRequest('caller', null);
  app.decorateRequest('admittedSession', null);
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const admitted = await sessions.admit(request, reply);
    request.admittedSession = admitted;
    const { holder, look } = admitted;
    knownAs(request, callerWith(holder, await meter.noteUse(holder, look), look, 'session'));
  };
  const shown = ({ organisation, key }: KeyHolder, { expiresAt }: BrowserSession) =>
    success({ organisation, key, expires_at: expiresAt, today: dayOf(clock.now()) });

  app.post(
    '/session',
    {
      bodyLimit: MOST_BYTES,
      onRequest: async (request) => {
        refuseOtherSites(request);
      },
      schema: answers(sessionRecord, {
        operationId: 'signIn',
        tag: 'Session',
        summary: 'Sign in with a key; the answer sets the cookie of the session',
        caller: 'anyone',
        body: z.strictObject({ key: z.string().describe('The secret of a read, write or admin key') }),
      }),
    },
    async (request, reply) => {
      const look = await warehouse.look();
      const holder = await signIns.admit(request, reply, () =>
        checkKey({ from: 'key', secret: request.body.key }, look),
      );
      if (!permits(holder.key.permission, 'read'))
        throw forbidden(`key: ${permissionMessage(holder.key.permission, 'read')}`);
      const { organisation, key } = holder;
      const now = clock.now();
      const session = newSession(holder, now);
      const { actor } = knownAs(request, callerWith(holder, await meter.noteUse(holder, look), look));
      await audit(
        warehouse,
        organisation.id,
        {
          actor,
          action: 'signed_in',
          target: key.id,
          detail: { session_id: session.id, expires_at: session.expiresAt },
        },
        now,
      );
      setSession(reply, sealSession(sealer, session), {
        secure: isHttps(request, publicUrl),
        maxAge: Math.floor((Date.parse(session.expiresAt) - now.getTime()) / 1_000),
      });
      return shown(holder, session);
    },
  );

  app.get(
    '/session',
    {
      onRequest: admit,
      schema: answers(sessionRecord, {
        operationId: 'getSession',
        tag: 'Session',
        summary: 'The session of the cookie',
        caller: 'session',
      }),
    },
    (request) => {
      const { holder, session } = admittedOf(request);
      return shown(holder, session);
    },
  );

  app.delete(
    '/session',
    {
      onRequest: admit,
      schema: answers(z.object({ signed_out: z.literal(true) }), {
        operationId: 'signOut',
        tag: 'Session',
        summary: 'Sign out at once on all nodes',
        caller: 'session',
        body: noBody,
      }),
    },
    async (request, reply) => {
      await endSession(warehouse, admittedOf(request).session, changeBy(callerOf(request), clock.now()));
      clearSession(request, reply, isHttps(request, publicUrl));
      return success({ signed_out: true } as const);
    },
  );
}
