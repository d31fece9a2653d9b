import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server in front of an S3 server that counts the bytes of data files that pass it. */
export interface CountingProxy {
  url: string;
  /** Returns the bytes since the last call. */
  take: () => number;
  stop: () => void;
}

/** Starts a server that passes all requests on to `target`, and counts the bytes of objects whose names end in `.parquet`. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let bytes = 0;
  const server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked;
    const isData = /\.parquet(\?|$)/.test(url);
    const passed = request(new URL(url, target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.on('data', (part: Buffer) => {
        if (isData) bytes += part.length;
      });
      answered.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    take: () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
