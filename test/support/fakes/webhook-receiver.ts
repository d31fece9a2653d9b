import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A POST as an endpoint received it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A user's endpoint whose behaviour the test controls. */
export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** Sets how it answers from now on. At first it answers 200. */
  answer: (how: (response: ServerResponse) => void) => void;
  /** Stops listening, so that connections are refused. */
  close: () => Promise<void>;
  /** Listens on the same port again. */
  open: () => Promise<void>;
}

/** Starts a receiver on a free loopback port. */
export async function newReceiver(): Promise<WebhookReceiver> {
  let answer = (response: ServerResponse): void => {
    response.end('thank you');
  };
  let server: Server | null = null;
  let port = 0;
  const received: Received[] = [];
  const open = async (): Promise<void> => {
    const opened = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({ path: request.url ?? '', headers: request.headers, body });
        answer(response);
      });
    });
    server = opened;
    await new Promise<void>((listening) => opened.listen(port, '127.0.0.1', listening));
    ({ port } = opened.address() as AddressInfo);
  };
  await open();
  return {
    url: `http://127.0.0.1:${port}/hook?token=in-the-url`,
    received,
    answer: (how) => {
      answer = how;
    },
    close: () =>
      new Promise((closed) => {
        server?.close(() => {
          closed();
        });
        server?.closeAllConnections();
      }),
    open,
  };
}
