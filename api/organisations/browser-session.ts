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
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import { callerOf, callerWith, changeBy, knownAs } from '../access/authentication.ts';
import type { CallMeter } from '../access/call-meter.ts';
import { isHttps, refuseOtherSites } from '../access/session/own-page.ts';
import { clearSession, sealSession, setSession } from '../access/session/session-cookie.ts';
import type { AdmittedSession, SessionGate } from '../access/session/session-gate.ts';
import type { SignInLimit } from '../access/session/sign-in-limit.ts';
import type { createKeyCheck } from '../access/valid-key.ts';

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

const signInBody = z.strictObject({
  key: z.string().describe('The secret of a read, write or admin key'),
});

function admittedOf({ admittedSession }: FastifyRequest): AdmittedSession {
  if (admittedSession === null) throw new Error('the route is not behind a session');
  return admittedSession;
}

/** What the routes of sessions take beside the rest. */
interface SessionDependencies extends ApiDependencies {
  meter: CallMeter;
  sessions: SessionGate;
  signIns: SignInLimit;
  checkKey: ReturnType<typeof createKeyCheck>;
}

/** Prepares a scope for the routes of sessions. */
export function takeSessions(app: Api): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('admittedSession', null);
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, meter }: SessionDependencies,
): Promise<void> {
  const admitted = await sessions.admit(request, reply);
  request.admittedSession = admitted;
  const { holder, revisions } = admitted;
  knownAs(request, callerWith(holder, await meter.noteUse(holder, revisions), revisions, 'session'));
}

const shown = ({ organisation, key }: KeyHolder, { expiresAt }: BrowserSession, now: Date) =>
  success({ organisation, key, expires_at: expiresAt, today: dayOf(now) });

async function postSession(
  request: Asked<{ body: typeof signInBody }>,
  { warehouse, clock, sealer, meter, signIns, checkKey, publicUrl }: SessionDependencies,
  { reply }: Replying,
) {
  const revisions = await warehouse.revisions();
  const holder = await signIns.admit(request, reply, () =>
    checkKey({ from: 'key', secret: request.body.key }, revisions),
  );
  const { organisation, key } = holder;
  if (!permits(key.permission, 'read')) throw forbidden(`key: ${permissionMessage(key.permission, 'read')}`);
  const now = clock.now();
  const session = newSession(holder, now);
  const { actor } = knownAs(request, callerWith(holder, await meter.noteUse(holder, revisions), revisions));
  const detail = { session_id: session.id, expires_at: session.expiresAt };
  await audit(warehouse, organisation.id, { actor, action: 'signed_in', target: key.id, detail }, now);
  setSession(reply, sealSession(sealer, session), {
    secure: isHttps(request, publicUrl),
    maxAge: Math.floor((Date.parse(session.expiresAt) - now.getTime()) / 1_000),
  });
  return shown(holder, session, now);
}

function getSession(request: Asked, { clock }: SessionDependencies) {
  const { holder, session } = admittedOf(request);
  return shown(holder, session, clock.now());
}

async function deleteSession(
  request: Asked,
  { warehouse, clock, publicUrl }: SessionDependencies,
  { reply }: Replying,
) {
  await endSession(warehouse, admittedOf(request).session, changeBy(callerOf(request), clock.now()));
  clearSession(request, reply, isHttps(request, publicUrl));
  return success({ signed_out: true } as const);
}

/** `/session`: a page of the service signs in with a key, and out (docs/http.md#browser-session). */
export const browserSessionRoutes = tagged('Session', [
  route('POST /session', {
    access: 'anyone',
    bodyLimit: MOST_BYTES,
    operationId: 'signIn',
    summary: 'Sign in with a key; the answer sets the cookie of the session',
    body: signInBody,
    answer: successOf(sessionRecord),
    admit: refuseOtherSites,
    handle: postSession,
  }),
  route('GET /session', {
    access: 'session',
    operationId: 'getSession',
    summary: 'The session of the cookie',
    answer: successOf(sessionRecord),
    admit,
    handle: getSession,
  }),
  route('DELETE /session', {
    access: 'session',
    operationId: 'signOut',
    summary: 'Sign out at once on all nodes',
    body: noBody,
    answer: successOf(z.object({ signed_out: z.literal(true) })),
    admit,
    handle: deleteSession,
  }),
]);
