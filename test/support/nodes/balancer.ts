import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Passes each request on to one of several servers, chosen at random. */
export interface Balancer {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a balancer. `urls` returns the servers of the moment. */
export const startBalancer = async (urls: () => readonly string[]): Promise<Balancer> => {
  const server = createServer((incoming, outgoing) => {
    const all = urls();
    forward(incoming, outgoing, all[Math.floor(Math.random() * all.length)] ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

/** Passes a request and its answer on, with all their headers. If the server cannot be reached, cuts the connection off. */
export const forward = (incoming: IncomingMessage, outgoing: ServerResponse, server: string): void => {
  const { method, url, headers } = incoming;
  const passed = request(new URL(url ?? '/', server), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    pipeline(answer, outgoing, () => undefined);
  });
  passed.on('error', () => outgoing.destroy());
  pipeline(incoming, passed, () => undefined);
};
