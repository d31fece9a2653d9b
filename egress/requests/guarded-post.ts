import type { IncomingMessage } from 'node:http';
import { pinnedRequest } from './pinned-request.ts';
import type { PrivateTargets } from './private-targets.ts';
import { resolveTarget } from './resolve-target.ts';

/** An answer to a POST, whatever its status; a redirect is an answer and is not followed. */
export interface PostAnswer {
  status: number;
  /** Where a redirect points to: its host, no more. */
  redirectsTo: string | null;
  /** The beginning of the answer. */
  text: string;
}

export interface GuardedPostRules {
  privateTargets: PrivateTargets;
  headers: Readonly<Record<string, string>>;
  /** For the whole of the answer. */
  timeoutMs: number;
  /** What the answer has beyond is left unread. */
  mostBytes: number;
  /** Gives the request up. */
  signal: AbortSignal;
}

/**
 * POSTs a body to a URL whose host may be reached, at one of the addresses that were judged: a name that resolves
 * otherwise by the time of the connection changes nothing.
 *
 * @throws ServiceError `invalid` when the target is not allowed (names PRIVATE_TARGETS).
 * @throws Error when the host cannot be reached or does not answer in time. The message names the host, not its
 *   address, and nothing else of the URL, which may hold a credential.
 */
export const guardedPost = async (url: URL, body: string, rules: GuardedPostRules): Promise<PostAnswer> => {
  const timeout = AbortSignal.timeout(rules.timeoutMs);
  const signal = AbortSignal.any([rules.signal, timeout]);
  const addresses = await resolveTarget(rules.privateTargets, url.hostname);
  return await answerOf(url, body, addresses, signal, rules).catch((error: unknown) => {
    if (rules.signal.aborted) throw error;
    if (timeout.aborted) throw new Error(`${url.host} did not answer within ${rules.timeoutMs / 1000} s`);
    // Without its cause, which tells the address.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    throw new Error(`${url.host} cannot be reached (${code})`);
  });
};

const answerOf = async (
  url: URL,
  body: string,
  addresses: readonly string[],
  signal: AbortSignal,
  { headers, mostBytes }: GuardedPostRules,
): Promise<PostAnswer> => {
  const response = await pinnedRequest(url, addresses, { method: 'POST', headers, signal }, body);
  const text = await beginningOf(response, mostBytes);
  // A body without a length ends with its connection, also when that was cut.
  signal.throwIfAborted();
  return { status: response.statusCode ?? 0, redirectsTo: redirectOf(response, url), text };
};

const beginningOf = async (response: IncomingMessage, mostBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= mostBytes) break;
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
};

const redirectOf = (response: IncomingMessage, url: URL): string | null => {
  const { statusCode = 0, headers } = response;
  if (statusCode < 300 || statusCode > 399 || headers.location === undefined) return null;
  return URL.canParse(headers.location, url.href) ? new URL(headers.location, url).host : null;
};
