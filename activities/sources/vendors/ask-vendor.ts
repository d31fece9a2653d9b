import type { z } from 'zod';
import { retryAfterOf } from '../../../domain/events/retry-after.ts';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import { VENDORS, type VendorPlace } from '../../../domain/sources/vendors/vendors.ts';
import { answerJson } from '../../../egress/requests/answer-json.ts';
import { guardedRequest, type GuardedAnswer } from '../../../egress/requests/guarded-request.ts';
import { mayPass } from '../../../egress/requests/passing-status.ts';
import type { PrivateTargets } from '../../../egress/requests/private-targets.ts';
import { tryAgain, type FailedTry, type Wait } from '../../shared/try-again.ts';

/** A request to a vendor: a path below its base, and a JSON body if it is a POST. */
export interface VendorRequest {
  path: string;
  query?: readonly (readonly [name: string, value: string])[];
  headers: Readonly<Record<string, string>>;
  body?: object;
}

export interface VendorAccess {
  place: VendorPlace;
  privateTargets: PrivateTargets;
  signal: AbortSignal;
  /** Tests replace it. */
  wait?: Wait | undefined;
}

/** Sends requests to a vendor. */
export interface AskVendor {
  /** Returns the answer, or null for a 404. Throws like {@link askVendor}. */
  find: <Answer>(request: VendorRequest, schema: z.ZodType<Answer>) => Promise<Answer | null>;
  /** Like `find`, where a 404 says that the location is wrong. */
  get: <Answer>(request: VendorRequest, schema: z.ZodType<Answer>) => Promise<Answer>;
}

const TIMEOUT_MS = 120_000;
const MOST_BYTES = 64 * 2 ** 20;
const MOST_ITEMS = 3_000_000;
const MOST_TRIES = 8;
/** GitHub counts requests by the hour, and asks to wait for the next one. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Returns what asks a vendor. A vendor that asks to wait, for example with a 429, gets its time.
 *
 * Its calls throw `invalid` if a person must act: a refused token, a missing right, another shape than the vendor's. They throw
 * Outage if the vendor is away, or has answered only a part. No message repeats what the vendor has answered, because some vendors
 * repeat the token.
 */
export function askVendor({ place, privateTargets, signal, wait }: VendorAccess): AskVendor {
  const { name, right } = VENDORS[place.vendor];
  const limits = { privateTargets, signal, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES } as const;

  const once = async ({ path, query = [], headers, body }: VendorRequest): Promise<GuardedAnswer> => {
    const url = new URL(`${place.base}${path}`);
    for (const [key, value] of query) url.searchParams.append(key, value);
    const sent = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await guardedRequest(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', 'user-agent': 'cost-analytics', ...headers, ...sent },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      { ...limits, longer: 'refuse', field: 'location' },
    );
    const wait = waitAskedBy(answer);
    if (wait !== null || mayPass(answer.status)) throw new Busy(said(url, answer), wait);
    return answer;
  };

  const said = (url: URL, { status }: GuardedAnswer): string =>
    `location: ${name} answered ${status} to ${url.pathname}`;

  const find: AskVendor['find'] = async (request, schema) => {
    const answer = await tryAgain(() => once(request), meaningOf, {
      mostTries: MOST_TRIES,
      longestWaitMs: LONGEST_WAIT_MS,
      signal,
      wait,
    });
    const url = new URL(`${place.base}${request.path}`);
    const { status } = answer;
    if (status === 404) return null;
    if (status === 401)
      throw invalid(
        `${said(url, answer)}: the token is wrong, expired or revoked; replace the credentials of the source. It needs ${right}`,
      );
    if (status === 403)
      throw invalid(`${said(url, answer)}: the token lacks a right; replace it. It needs ${right}`);
    if (status !== 200) throw invalid(`${said(url, answer)}, expected 200; is it the base of ${name}'s API?`);
    const json = answerJson(answer.text, MOST_ITEMS);
    if (json === undefined)
      throw new Outage(`${said(url, answer)} with a part of JSON, or with another text; nothing was loaded`);
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw invalid(
      `${said(url, answer)}, but not as ${name} documents it: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}; nothing was loaded`,
    );
  };

  return {
    find,
    get: async (request, schema) => {
      const answer = await find(request, schema);
      if (answer === null) throw invalid(notFoundAt(place));
      return answer;
    },
  };
}

/** Returns the message for a location that a vendor does not know. */
export function notFoundAt({ vendor, base, of, name: what }: VendorPlace): string {
  const { name, location, right } = VENDORS[vendor];
  const named = what === '' ? base : `${of}${of === '' ? '' : ' '}${JSON.stringify(what)}`;
  return `location: ${name} answered 404: there is no ${named}, or the token cannot see it; ${location}. The token needs ${right}`;
}

/** The vendor cannot answer now. */
class Busy extends Outage {
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null) {
    super(message);
    this.waitMs = waitMs;
  }
}

const meaningOf = (error: unknown): FailedTry => ({
  error: error instanceof Error ? error : new Error(String(error)),
  isWorthRetry: error instanceof Busy,
  retryAfterMs: error instanceof Busy ? error.waitMs : null,
});

const REFUSING = [403, 429, 503];

/** Returns how long an answer asks to wait in milliseconds; null if it does not. */
function waitAskedBy({ status, headers }: GuardedAnswer): number | null {
  if (!REFUSING.includes(status)) return null;
  const now = new Date();
  const asked = retryAfterOf(headers['retry-after'] ?? null, now);
  if (asked !== null) return asked * 1_000;
  const { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers;
  return remaining === '0' && typeof reset === 'string' && /^\d{1,12}$/.test(reset)
    ? Math.max(1_000, Number(reset) * 1_000 - now.getTime())
    : null;
}
