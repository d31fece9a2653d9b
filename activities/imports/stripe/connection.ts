import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import { apiBaseText, type StripeApiBase } from '../../../domain/imports/stripe/api-base.ts';
import { answerJson } from '../../../egress/requests/answer-json.ts';
import { guardedRequest, type GuardedAnswer } from '../../../egress/requests/guarded-request.ts';

/** A client of Stripe with connections of its own. */
export interface StripeConnection {
  client: Stripe;
  /** Closes the connections. */
  close: () => void;
}

/** Limits of each request. */
export interface StripeLimits {
  /** Breaks off all requests. */
  signal: AbortSignal;
  /** The longest that an answer may take, however steadily it arrives, in ms. */
  timeoutMs?: number | undefined;
}

/** The longest silence of Stripe during a request. Stripe answers for a page within seconds. */
const SILENCE_MS = 30_000;
const TIMEOUT_MS = 60_000;
/** A page has at most 100 transactions, of some 2 KB. */
const MOST_BYTES = 16 * 2 ** 20;
const MOST_ITEMS = 100_000;

/**
 * Connects to Stripe, or to a server that answers like it. The client calls no other host: it sends no telemetry, follows no
 * redirect and uses no proxy of the environment. Each request names the version of the API for which the package was made. The
 * caller retries, because the package ignores Retry-After.
 */
export function connectToStripe(
  base: StripeApiBase,
  apiKey: string,
  { signal, timeoutMs = TIMEOUT_MS }: StripeLimits,
): StripeConnection {
  const { protocol, host, port } = base;
  const agent =
    protocol === 'http' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  const limits = {
    signal,
    timeoutMs,
    mostBytes: MOST_BYTES,
    longer: 'refuse',
    privateTargets: null,
  } as const;
  const httpClient: Stripe.HttpClient = {
    getClientName: () => 'node',
    makeRequest: async (_host, _port, path, method, headers, body) => {
      const url = new URL(path, apiBaseText(base));
      const sent = { method, headers: { ...headers }, body, agent, timeout: SILENCE_MS };
      return asResponse(await guardedRequest(url, sent, limits));
    },
  };
  return {
    client: new Stripe(apiKey, {
      protocol,
      host,
      port,
      httpClient,
      telemetry: false,
      maxNetworkRetries: 0,
      timeout: SILENCE_MS,
    }),
    close: () => {
      agent.destroy();
    },
  };
}

/** Returns an answer as the package takes it. */
const asResponse = ({
  status,
  // The package would print Stripe's notices once for each answer.
  headers: { 'stripe-notice': _notice, ...headers },
  text,
}: GuardedAnswer): Stripe.HttpClientResponse => ({
  getStatusCode: () => status,
  getHeaders: () => headers as ReturnType<Stripe.HttpClientResponse['getHeaders']>,
  // The package adds its fields to it.
  getRawResponse: () => ({}),
  toStream: () => {
    throw new Error('an answer is text, not a stream');
  },
  toJSON: async () => {
    const json = answerJson(text, MOST_ITEMS);
    // The package adds its fields to the answer. It would end the process if the answer were a number or null.
    if (typeof json !== 'object' || json === null) throw new Error('the answer is not an object');
    return json;
  },
});
