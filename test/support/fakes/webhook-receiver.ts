import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A POST as an endpoint got it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An endpoint of a user, as good or bad as a test wants it. */
export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** How it answers from now on; 200 until it is said. */
  answer: (how: (response: ServerResponse) => void) => void;
  /** Is away: connections are refused. */
  close: () => Promise<void>;
  /** Is back on the same port. */
  open: () => Promise<void>;
}

/** Listens on a free loopback port. */
export const newReceiver = async (): Promise<WebhookReceiver> => {
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
};
