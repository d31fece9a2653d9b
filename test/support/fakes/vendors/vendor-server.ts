import type { IncomingHttpHeaders } from 'node:http';
import { listenLocally, type LocalServer } from '../file-server.ts';

/** A request as a fake vendor sees it. */
export interface VendorCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The JSON body of a POST. */
  body: Record<string, unknown>;
}

export interface VendorAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** A text is sent as it is. */
  body: unknown;
}

/** A stand-in for the API of a vendor. Its tests change what it answers. */
export interface VendorServer extends LocalServer {
  /** If set, it is called first. The usual answer follows if it returns undefined. */
  instead: ((call: VendorCall) => VendorAnswer | undefined) | null;
  calls: VendorCall[];
}

/** Starts a stand-in on a free loopback port. */
export async function startVendor(usual: (call: VendorCall) => VendorAnswer): Promise<VendorServer> {
  const server = await listenLocally((request, response, url) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const call: VendorCall = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
      vendor.calls.push(call);
      const { status = 200, headers = {}, body } = vendor.instead?.(call) ?? usual(call);
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  const vendor: VendorServer = { ...server, instead: null, calls: [] };
  return vendor;
}
