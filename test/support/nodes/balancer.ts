import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { listenLocally, type LocalServer } from '../fakes/file-server.ts';

/** Starts a server that passes each request on to one of several others, chosen at random. `urls` returns those of the moment. */
export const startBalancer = (urls: () => readonly string[]): Promise<LocalServer> =>
  listenLocally((incoming, outgoing) => {
    const all = urls();
    forward(incoming, outgoing, all[Math.floor(Math.random() * all.length)] ?? '');
  });

/** Passes a request and its answer on, with all their headers. If the server cannot be reached, cuts the connection off. */
export function forward(incoming: IncomingMessage, outgoing: ServerResponse, server: string): void {
  const { method, url, headers } = incoming;
  const passed = request(new URL(url ?? '/', server), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    pipeline(answer, outgoing, () => undefined);
  });
  passed.on('error', () => outgoing.destroy());
  pipeline(incoming, passed, () => undefined);
}
