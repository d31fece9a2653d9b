import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server between the service and a storage, which sees each request before the storage does. */
export interface Relay {
  url: string;
  /** Called before a request is passed on; it may take its time. */
  before: (asked: IncomingMessage) => Promise<void>;
  close: () => Promise<void>;
}

/** Starts a relay to a storage. It keeps the host of each request, which is signed. */
export async function startRelay(target: () => string): Promise<Relay> {
  const relay: Pick<Relay, 'before'> = { before: () => Promise.resolve() };
  const server = createServer((asked, answer) => {
    const pass = async (): Promise<void> => {
      await relay.before(asked);
      const { hostname, port } = new URL(target());
      const onwards = request({
        hostname,
        port,
        method: asked.method,
        // A request through a proxy may have the absolute form.
        path: (asked.url ?? '').replace(/^http:\/\/[^/]*/, ''),
        headers: asked.headers,
      });
      onwards.on('response', (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      });
      onwards.on('error', () => answer.destroy());
      asked.pipe(onwards);
    };
    pass().catch(() => answer.destroy());
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(relay, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  });
}
