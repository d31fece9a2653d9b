import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { stripeApiBase, type StripeApiBase } from '../../../../domain/imports/stripe-api-base.ts';
import { answerLikeStripe, keyIn, type StripeAccount } from './stripe-account.ts';
import { tooManyRequests, type StripeAnswer } from './stripe-answers.ts';

/** What happens to one request in place of the usual answer. */
export type Fault =
  | { kind: 'answer'; answer: StripeAnswer }
  /** Answers 429 until the seconds of Retry-After have passed. */
  | { kind: 'rate_limit'; retryAfterSeconds: number }
  /** Breaks the connection in the middle of the page. */
  | { kind: 'cut' }
  /** Sends the first half of the page at once, and the rest byte by byte. The client is never done, nor is it ever quiet. */
  | { kind: 'drip' };

/** A server that speaks the protocol of Stripe's balance transactions. */
export interface FakeStripe {
  base: StripeApiBase;
  account: StripeAccount;
  /** Faults of the next requests, one each. */
  faults: Fault[];
  /** Requests in the order of their arrival, without their keys. */
  requests: {
    path: string;
    query: Record<string, string>;
    isKnownKey: boolean;
    version: string;
    hasTelemetry: boolean;
  }[];
  /** Requests that came before the time that a Retry-After named. */
  askedTooSoon: number;
  /** If set, it is called for each fault, once the fault has happened. */
  onFault: (() => void) | null;
  connections: ReadonlySet<Socket>;
  close: () => Promise<void>;
}

/** A timer of the client may be that much earlier than the wall clock. */
const EARLY_MS = 5;

/** Starts a server on a free loopback port. It answers from an account. */
export const startFakeStripe = async (account: StripeAccount): Promise<FakeStripe> => {
  const server = createServer((request, response) => {
    answer(request, response);
  });
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  const fake: FakeStripe = {
    base: stripeApiBase(`http://127.0.0.1:${port}`),
    account,
    faults: [],
    requests: [],
    askedTooSoon: 0,
    onFault: null,
    connections,
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
  let notBefore = 0;

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', headers } = request;
    const { authorization } = headers;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    fake.requests.push({
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      isKnownKey: fake.account.keys.has(keyIn(authorization)),
      version: String(headers['stripe-version']),
      hasTelemetry: 'x-stripe-client-telemetry' in headers,
    });
    if (Date.now() < notBefore) {
      fake.askedTooSoon += 1;
      send(response, tooManyRequests(Math.ceil((notBefore - Date.now()) / 1000)));
      return;
    }
    const usual = answerLikeStripe(fake.account, { method, url, authorization });
    const fault = fake.faults.shift();
    const happened = (): void => fake.onFault?.();
    switch (fault?.kind) {
      case undefined:
        send(response, usual);
        return;
      case 'answer':
        send(response, fault.answer, happened);
        return;
      case 'rate_limit':
        notBefore = Date.now() + fault.retryAfterSeconds * 1000 - EARLY_MS;
        send(response, tooManyRequests(fault.retryAfterSeconds), happened);
        return;
      case 'cut':
        sendHalf(response, usual, () => {
          request.socket.destroy();
          happened();
        });
        return;
      case 'drip':
        sendHalf(response, usual, () => {
          dripOn(response, usual.body);
          happened();
        });
    }
  };
  return fake;
};

const headersOf = ({ body, headers }: StripeAnswer): Record<string, string | number> => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  'request-id': 'req_1AbCdEfGhIjKlM',
  'stripe-notice': 'A notice that the client prints, unless it is kept from it.',
  ...headers,
});

const send = (response: ServerResponse, answer: StripeAnswer, then?: () => void): void => {
  response.writeHead(answer.status, headersOf(answer)).end(answer.body, then);
};

const sendHalf = (response: ServerResponse, answer: StripeAnswer, then: () => void): void => {
  response.writeHead(answer.status, headersOf(answer));
  response.write(answer.body.slice(0, half(answer.body)), then);
};

const half = (body: string): number => Math.floor(body.length / 2);

const DRIP_MS = 50;

const dripOn = (response: ServerResponse, body: string): void => {
  let sent = half(body);
  const timer = setInterval(() => {
    response.write(body.charAt(sent));
    sent += 1;
  }, DRIP_MS);
  response.once('close', () => {
    clearInterval(timer);
  });
};
