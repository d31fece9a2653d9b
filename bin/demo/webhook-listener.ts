import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { toldEvent, type ToldEvent } from './told-event.ts';

/** Where the demo listens to its own webhook: of all private addresses, its service may reach this one. */
export const LISTENER_HOST = '127.0.0.1';

/** An endpoint as a user would write it: takes what is signed with the webhook's secret, and nothing else. */
export interface WebhookListener {
  url: string;
  /** Ids of the events that came in this run, their signatures verified. */
  verified: ReadonlySet<string>;
  /** Verifies with the webhook's secret from now on; until then nothing is taken. */
  verifyWith: (secret: string) => void;
  /** Has every event told that comes from now on. */
  tell: (hear: (event: ToldEvent) => void) => void;
  close: () => Promise<void>;
}

/** Starts listening on a free port of this machine. */
export const startWebhookListener = async (): Promise<WebhookListener> => {
  const verified = new Set<string>();
  let verifier: Webhook | null = null;
  let hear: (event: ToldEvent) => void = () => undefined;

  /** Answers an event whose signature is right; throws for any other request. */
  const verify = (body: string, headers: IncomingHttpHeaders): ToldEvent => {
    if (verifier === null) throw new Error('there is no secret yet');
    return toldEvent.parse(verifier.verify(body, textsOf(headers)));
  };
  const answer: RequestListener = (request, response) => {
    void text(request)
      .then((body) => {
        const event = verify(body, request.headers);
        verified.add(textsOf(request.headers)['webhook-id'] ?? '');
        hear(event);
        response.end('signature verified');
      })
      .catch(() => {
        response.writeHead(400).end('expected a signed event');
      });
  };
  const server = createServer(answer);
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, LISTENER_HOST, listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LISTENER_HOST}:${port}/cost-analytics-demo`,
    verified,
    verifyWith: (secret) => {
      verifier = new Webhook(secret);
    },
    tell: (heard) => {
      hear = heard;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
};

const textsOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
