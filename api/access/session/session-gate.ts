import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../../../domain/shared/clock.ts';
import { ServiceError, unauthenticated } from '../../../domain/shared/errors.ts';
import type { Sealer } from '../../../security/sealing.ts';
import type { KeyHolder } from '../../../warehouse/organisations/api-keys.ts';
import { isEnded, type BrowserSession } from '../../../warehouse/organisations/browser-sessions.ts';
import type { Derived } from '../../../warehouse/engine/cache/derived-cache.ts';
import type { Revisions } from '../../../warehouse/engine/cache/revisions.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { createKeyLookup } from '../key-lookup.ts';
import { refuseOtherSites, requirePageHeader } from './own-page.ts';
import { openSession, sentSession, SESSION_COOKIE } from './session-cookie.ts';
import { carriesKey } from '../sent-key.ts';
import { validNow } from '../valid-key.ts';

/** Calls of one session that this process admits in a second. */
const CALLS_A_SECOND = 50;

const ENDED: Derived<boolean> = { name: 'ended session', from: ['session_ends'], bytesOf: () => 0 };

/** A session that may act now, and the holder of its key. */
export interface AdmittedSession {
  session: BrowserSession;
  holder: KeyHolder;
  revisions: Revisions;
}

/**
 * Admits requests that carry the cookie of a browser session instead of a key (docs/http.md#browser-session). A revocation and a
 * sign-out take effect at once on all nodes.
 */
export class SessionGate {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #warehouse: Warehouse;
  readonly #lookUpKey: ReturnType<typeof createKeyLookup>;
  // It forgets a session after a second. Only sealed sessions reach it, so that strangers cannot fill it.
  readonly #limiter = new RateLimiterMemory({ points: CALLS_A_SECOND, duration: 1 });

  constructor({ warehouse, sealer, clock }: { warehouse: Warehouse; sealer: Sealer; clock: Clock }) {
    this.#sealer = sealer;
    this.#clock = clock;
    this.#warehouse = warehouse;
    this.#lookUpKey = createKeyLookup(warehouse);
  }

  /** Whether a request asks to be admitted by its session: it has the cookie, and no key. */
  isFor(request: FastifyRequest): boolean {
    return sentSession(request.cookies) !== undefined && !carriesKey(request);
  }

  /** Throws a 401 without a session that may act now, a 403 for another site, and a 429 above the limit. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<AdmittedSession> {
    refuseOtherSites(request);
    const session = this.#sent(request);
    requirePageHeader(request);
    await this.#limit(session, reply);
    const revisions = await this.#warehouse.revisions();
    const [holder, isEnded] = await Promise.all([
      this.#lookUpKey(session.keyId, revisions),
      this.#isEnded(session, revisions),
    ]);
    if (holder === null) throw unauthenticated(`session: its key no longer exists; ${SIGN_IN}`);
    if (isEnded) throw unauthenticated(`session: it was signed out; ${SIGN_IN}`);
    validNow(holder, 'session', this.#clock.now());
    return { session, holder, revisions };
  }

  #isEnded(session: BrowserSession, revisions: Revisions): Promise<boolean> {
    return this.#warehouse.cache.cached(revisions, ENDED, session.orgId, session.id, () =>
      isEnded(this.#warehouse, session),
    );
  }

  #sent({ cookies }: FastifyRequest): BrowserSession {
    const value = sentSession(cookies);
    if (value === undefined)
      throw unauthenticated(`session: expected the cookie ${SESSION_COOKIE}, got nothing; ${SIGN_IN}`);
    const session = openSession(this.#sealer, value);
    if (session === null)
      throw unauthenticated(`session: the cookie ${SESSION_COOKIE} is not valid; ${SIGN_IN}`);
    if (Date.parse(session.expiresAt) <= this.#clock.now().getTime())
      throw unauthenticated(`session: it expired at ${session.expiresAt}; ${SIGN_IN}`);
    return session;
  }

  async #limit({ id }: BrowserSession, reply: FastifyReply): Promise<void> {
    const isWithin = await this.#limiter.consume(id).then(
      () => true,
      () => false,
    );
    if (isWithin) return;
    reply.header('retry-after', 1);
    throw new ServiceError('quota_exceeded', `session: at most ${CALLS_A_SECOND} calls a second; try again`);
  }
}

const SIGN_IN = 'sign in with POST /session';
