import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stripeApiBase, type StripeApiBase } from '../../domain/imports/stripe/api-base.ts';
import { answerLikeStripe, type StripeAccount, type StripeRequest } from './stripe-account.ts';
import type { StripeAnswer } from './stripe-answers.ts';

/** A server on this machine that speaks the protocol of Stripe's balance transactions. */
export interface StripeServer {
  base: StripeApiBase;
  close: () => Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** Starts a server on a free loopback port. It answers from an account. */
export const startStripeServer = (account: StripeAccount): Promise<StripeServer> =>
  onLoopback(
    createServer((request, response) => {
      sendAnswer(response, answerLikeStripe(account, stripeRequest(request)));
    }),
  );

/** Lets a server listen on a free loopback port. `close` also breaks open connections. */
export async function onLoopback(server: Server): Promise<StripeServer> {
  await once(server.listen(0, LOOPBACK), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: stripeApiBase(`http://${LOOPBACK}:${port}`),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns what an account needs to know of a request. */
export const stripeRequest = ({ method = '', url = '/', headers }: IncomingMessage): StripeRequest => ({
  method,
  // A client may send any text as a path.
  url: new URL(URL.canParse(url, `http://${LOOPBACK}`) ? url : '/', `http://${LOOPBACK}`),
  authorization: headers.authorization,
});

/** Returns the headers that Stripe sends with an answer. */
export const stripeHeaders = ({ body, headers }: StripeAnswer): Record<string, string | number> => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  'request-id': 'req_1AbCdEfGhIjKlM',
  ...headers,
});

/** Sends an answer, and then calls `then`. */
export function sendAnswer(response: ServerResponse, answer: StripeAnswer, then?: () => void): void {
  response.writeHead(answer.status, stripeHeaders(answer)).end(answer.body, then);
}
