import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A test server on a free loopback port, with the requests that it received. */
export interface LocalServer {
  /** `http://127.0.0.1:<port>`. */
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage['headers'] }[];
  close: () => Promise<void>;
}

/** Starts an HTTP server on a free loopback port. */
export async function listenLocally(
  answer: (request: IncomingMessage, response: ServerResponse, url: URL) => void,
): Promise<LocalServer> {
  const requests: LocalServer['requests'] = [];
  const server = createServer((request, response) => {
    const { method = '', headers } = request;
    // A request through a proxy may have the absolute form.
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    requests.push({ method, path: url.pathname + url.search, headers });
    answer(request, response, url);
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

/** Answers a GET or HEAD with the content, or with its requested range. */
export function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  lastModified = 'Sat, 07 Feb 2026 05:00:00 GMT',
): void {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const ranged = first !== '' || last !== '';
  const start = first === '' ? (ranged ? Math.max(0, content.length - Number(last)) : 0) : Number(first);
  const end = first === '' || last === '' ? content.length - 1 : Math.min(Number(last), content.length - 1);
  if (ranged && start >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const part = content.subarray(start, end + 1);
  response.writeHead(ranged ? 206 : 200, {
    'content-length': part.length,
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    'last-modified': lastModified,
    etag: `"${content.length}"`,
    ...(ranged ? { 'content-range': `bytes ${start}-${end}/${content.length}` } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}

/** Serves files by their path, with ranges. The map may change while the server runs. */
export const serveFiles = (files: ReadonlyMap<string, Buffer>): Promise<LocalServer> =>
  listenLocally((request, response, url) => {
    const content = files.get(url.pathname);
    if (content === undefined) response.writeHead(404).end('not found');
    else sendContent(request, response, content);
  });
