import { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import type { StripeApiBase } from '../../domain/imports/stripe-api-base.ts';

/** A client of Stripe with connections of its own. */
export interface StripeConnection {
  client: Stripe;
  /** Breaks off all requests. The client sends none afterwards. */
  close: () => void;
}

/** The longest silence of Stripe during a request. Stripe answers for a page within seconds. */
const SILENCE_MS = 30_000;
/** The longest that the body of an answer may take, however steadily it arrives. */
const BODY_MS = 60_000;

/**
 * Connects to Stripe, or to a server that answers like it. The client calls no other host: it sends no telemetry, follows no
 * redirect and uses no proxy of the environment. Each request names the version of the API for which the package was made. The
 * caller retries, because the package ignores Retry-After.
 */
export const connectToStripe = (
  { protocol, host, port }: StripeApiBase,
  apiKey: string,
): StripeConnection => {
  const agent =
    protocol === 'http' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  const node = Stripe.createNodeHttpClient(agent);
  let isClosed = false;
  const httpClient: Stripe.HttpClient = {
    getClientName: () => node.getClientName(),
    makeRequest: async (...request) => {
      // The package repeats a request once if its connection breaks, also if `close` broke it.
      if (isClosed) throw new Error('the connection is closed');
      const response = await node.makeRequest(...request);
      // The package would print Stripe's notices once for each answer.
      delete response.getHeaders()['stripe-notice'];
      limitBody(response.getRawResponse());
      return response;
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
      isClosed = true;
      agent.destroy();
    },
  };
};

const limitBody = (response: unknown): void => {
  if (!(response instanceof IncomingMessage)) return;
  const timer = setTimeout(() => response.destroy(new Error('the answer took too long')), BODY_MS);
  response.once('close', () => {
    clearTimeout(timer);
  });
};
