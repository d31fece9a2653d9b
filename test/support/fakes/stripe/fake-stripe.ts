import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerLikeStripe, keyIn, type StripeAccount } from '../../../../demo/stripe/stripe-account.ts';
import { tooManyRequests, type StripeAnswer } from '../../../../demo/stripe/stripe-answers.ts';
import {
  onLoopback,
  sendAnswer,
  stripeHeaders,
  stripeRequest,
  type StripeServer,
} from '../../../../demo/stripe/stripe-server.ts';

/** What happens to one request in place of the usual answer. */
export type Fault =
  | { kind: 'answer'; answer: StripeAnswer }
  /** Answers 429 until the seconds of Retry-After have passed. */
  | { kind: 'rate_limit'; retryAfterSeconds: number }
  /** Breaks the connection in the middle of the page. */
  | { kind: 'cut' }
  /** Sends the first half of the page at once, and the rest byte by byte. The client is never done, nor is it ever quiet. */
  | { kind: 'drip' };

/** A server that records requests, and in which tests cause faults. */
export interface FakeStripe extends StripeServer {
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
}

/** A timer of the client may be that much earlier than the wall clock. */
const EARLY_MS = 5;

/** Starts a server on a free loopback port. It answers from an account. */
export async function startFakeStripe(account: StripeAccount): Promise<FakeStripe> {
  const server = createServer((request, response) => {
    answer(request, response);
  });
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const fake: FakeStripe = {
    ...(await onLoopback(server)),
    account,
    faults: [],
    requests: [],
    askedTooSoon: 0,
    onFault: null,
    connections,
  };
  let notBefore = 0;

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { headers } = request;
    const asked = stripeRequest(request);
    const { url, authorization } = asked;
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
    const usual = answerLikeStripe(fake.account, asked);
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
}

/** Stripe sends notices for people. The client must not print them. */
const noticed = (answer: StripeAnswer): StripeAnswer => ({
  ...answer,
  headers: {
    'stripe-notice': 'A notice that the client prints, unless it is kept from it.',
    ...answer.headers,
  },
});

function send(response: ServerResponse, answer: StripeAnswer, then?: () => void): void {
  sendAnswer(response, noticed(answer), then);
}

function sendHalf(response: ServerResponse, answer: StripeAnswer, then: () => void): void {
  response.writeHead(answer.status, stripeHeaders(noticed(answer)));
  response.write(answer.body.slice(0, half(answer.body)), then);
}

const half = (body: string): number => Math.floor(body.length / 2);

const DRIP_MS = 50;

function dripOn(response: ServerResponse, body: string): void {
  let sent = half(body);
  const timer = setInterval(() => {
    response.write(body.charAt(sent));
    sent += 1;
  }, DRIP_MS);
  response.once('close', () => {
    clearInterval(timer);
  });
}
