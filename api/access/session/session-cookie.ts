import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SealedPlace, Sealer } from '../../../security/sealing.ts';
import type { BrowserSession } from '../../../warehouse/organisations/browser-sessions.ts';

export const SESSION_COOKIE = 'cost_analytics_session';

/** Over HTTPS. Browsers take this name only with Secure and from this host, so that no other host of its domain can set it. */
const SECURE_COOKIE = `__Host-${SESSION_COOKIE}`;

const NAMES = [SECURE_COOKIE, SESSION_COOKIE];

/** Returns the value of the cookie that a request has sent. The one that came over HTTPS counts. */
export const sentSession = (cookies: FastifyRequest['cookies']): string | undefined =>
  cookies[SECURE_COOKIE] ?? cookies[SESSION_COOKIE];

/** More characters than any sealed session has. */
const LONGEST = 1_024;

/** The organisation is inside, so that one place holds the sessions of all. */
const PLACE: SealedPlace = { orgId: 'browser sessions', record: 'cookie', field: 'browser session' };

const content = z.strictObject({
  id: z.string(),
  orgId: z.string(),
  keyId: z.string(),
  expiresAt: z.iso.datetime(),
});

/** Returns the value of a session's cookie. Nobody can read or change it, so that nothing else stores the session. */
export const sealSession = (sealer: Sealer, session: BrowserSession): string =>
  sealer.seal(PLACE, JSON.stringify(session));

/** Returns the session in the value of a cookie, or null if the service did not make this value. */
export function openSession(sealer: Sealer, value: string): BrowserSession | null {
  if (value.length > LONGEST) return null;
  try {
    return content.parse(JSON.parse(sealer.open(PLACE, value)));
  } catch {
    return null;
  }
}

/** Sets the cookie of a session. `secure` says whether its page came over HTTPS. */
export function setSession(
  reply: FastifyReply,
  value: string,
  { secure, maxAge }: { secure: boolean; maxAge: number },
): void {
  reply.setCookie(secure ? SECURE_COOKIE : SESSION_COOKIE, value, { ...attributes(secure), maxAge });
}

/** Removes every cookie of a session that a request has sent. */
export function clearSession({ cookies }: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  for (const name of NAMES)
    if (cookies[name] !== undefined) reply.clearCookie(name, attributes(secure || name === SECURE_COOKIE));
}

/** The attributes of the cookie. Browsers send it only with requests of pages of the same site, and show it to no script. */
const attributes = (secure: boolean): CookieSerializeOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path: '/',
  secure,
});
