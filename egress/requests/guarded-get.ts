import type { IncomingMessage } from 'node:http';
import { invalid, Outage, ServiceError } from '../../domain/shared/errors.ts';
import { pinnedRequest } from './pinned-request.ts';
import type { PrivateTargets } from './private-targets.ts';
import { resolveTarget } from './resolve-target.ts';
import { unreachable } from './unreachable.ts';

/** An answer to a GET, whatever its status; a redirect is an answer and is not followed. */
export interface GuardedAnswer {
  status: number;
  text: string;
}

export interface GuardedGetRules {
  privateTargets: PrivateTargets;
  /** The request's field that named the target, put before messages about it. */
  field: string;
  /** For the whole of the answer. */
  timeoutMs: number;
  /** A longer answer is refused, so that it cannot fill the memory. */
  mostBytes: number;
  /** Gives the request up. */
  signal: AbortSignal;
}

/**
 * GETs a URL whose host may be reached, at one of the addresses that were judged: a name that resolves otherwise by
 * the time of the connection changes nothing.
 *
 * @throws ServiceError `invalid` when the target is not allowed, proves no certificate, or its answer is too long.
 * @throws Outage when the host cannot be reached or does not answer in time; it may at another time. The message
 *   names the host, not its address.
 */
export const guardedGet = async (url: URL, rules: GuardedGetRules): Promise<GuardedAnswer> => {
  const addresses = await resolveTarget(rules.privateTargets, url.hostname, rules.field);
  const timeout = AbortSignal.timeout(rules.timeoutMs);
  const signal = AbortSignal.any([rules.signal, timeout]);
  return await answerOf(url, addresses, signal, rules).catch((error: unknown) => {
    if (rules.signal.aborted || error instanceof ServiceError) throw error;
    if (timeout.aborted) throw new Outage(`${url.host} did not answer within ${rules.timeoutMs / 1000} s`);
    throw unreachable(url.host, error, rules.field);
  });
};

const answerOf = async (
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
  rules: GuardedGetRules,
): Promise<GuardedAnswer> => {
  const response = await pinnedRequest(url, addresses, { headers: { accept: 'application/json' }, signal });
  const text = await textOf(response, url, rules);
  // A body without a length ends with its connection, also when that was cut.
  signal.throwIfAborted();
  return { status: response.statusCode ?? 0, text };
};

const textOf = async (
  response: IncomingMessage,
  url: URL,
  { mostBytes, field }: GuardedGetRules,
): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      throw invalid(`${field}: ${url.host} answered more than ${mostBytes} bytes to one request`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
