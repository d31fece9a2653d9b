import type { CookieSerializeOptions } from '@fastify/cookie';
import { z } from 'zod';
import type { SealedPlace, Sealer } from '../../../security/sealing.ts';
import type { BrowserSession } from '../../../warehouse/organisations/browser-sessions.ts';

export const SESSION_COOKIE = 'cost_analytics_session';

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
export const openSession = (sealer: Sealer, value: string): BrowserSession | null => {
  if (value.length > LONGEST) return null;
  try {
    return content.parse(JSON.parse(sealer.open(PLACE, value)));
  } catch {
    return null;
  }
};

/** The attributes of the cookie. Browsers send it only with requests of pages of the same site, and show it to no script. */
export const cookieAttributes = (secure: boolean): CookieSerializeOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path: '/',
  secure,
});
