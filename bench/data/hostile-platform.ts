import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LEVELS = 100_000;
const CHUNK = '1,'.repeat(32 * 1024);
const PAUSE_MS = 100;

/** A platform of values that harms its clients: each request gets the next of its answers. */
export interface HostilePlatform {
  url: string;
  close: () => void;
}

/** Sends a JSON list without end, as fast as the client reads it. */
function endless(response: ServerResponse): void {
  const send = (): void => {
    while (!response.closed && response.write(CHUNK));
  };
  response.on('drain', send).write('{"data":[');
  send();
}

/** Sends a byte now and then. */
function slow(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), PAUSE_MS);
  response.on('close', () => {
    clearInterval(timer);
  });
}

function deep(response: ServerResponse): void {
  response.end(`${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`);
}

/** Starts a platform on a free loopback port. */
export async function startHostilePlatform(): Promise<HostilePlatform> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const answer = [endless, deep, slow][asked % 4];
    if (answer === undefined) {
      // Back to itself, for a client that follows it.
      response.writeHead(307, { location: request.url ?? '/' }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    answer(response);
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
