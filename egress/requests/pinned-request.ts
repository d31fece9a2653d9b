import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pinnedLookup } from './pinned-lookup.ts';

/**
 * Sends a request to one of the judged addresses, and looks up no name. Answers its response, whose body is still to be
 * read. With `timeout` in the options, a silence of so many milliseconds ends it.
 *
 * @throws Error of Node, whose `code` tells what went wrong; its message may hold the address.
 */
export const pinnedRequest = (
  url: URL,
  addresses: readonly string[],
  options: Pick<RequestOptions, 'method' | 'headers' | 'timeout' | 'signal'>,
  body = '',
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    // A kept socket would be found by name, and could outlive the check of the name: one socket a request.
    const sent = request(url, { ...options, agent: false, lookup: pinnedLookup(addresses) });
    sent
      .on('response', resolve)
      .on('error', reject)
      .on('timeout', () => sent.destroy(withCode('ETIMEDOUT')))
      // A host that changes the protocol ends the connection without an answer and without an error.
      .on('close', () => {
        reject(withCode('ECONNRESET'));
      })
      .end(body);
  });

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
