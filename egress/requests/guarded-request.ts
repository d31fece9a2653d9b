import {
  request as requestHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invalid, Outage, ServiceError } from '../../domain/shared/errors.ts';
import type { PrivateTargets } from './private-targets.ts';
import { pinnedLookup, prefixOf, resolveTarget } from './resolve-target.ts';
import { unreachable } from './unreachable.ts';

/** What a request may reach. */
export interface TargetRules {
  /** The private hosts that may be reached; null for a host that a setting of the operator names, which may be any. */
  privateTargets: PrivateTargets | null;
  /** The request's field that named the target. Messages about it begin with the field. */
  field?: string;
  /** Ends the request, also while its answer is read. */
  signal: AbortSignal;
}

export interface RequestRules extends TargetRules {
  /** For the whole of the answer. */
  timeoutMs: number;
  mostBytes: number;
  /** Whether a longer answer is an error, so that it cannot fill the memory, or is cut. */
  longer: 'refuse' | 'cut';
}

/** An answer with any status. A redirect is an answer, and the request does not follow it. */
export interface GuardedAnswer {
  status: number;
  /** The host that a redirect points to, without the rest of its URL. */
  redirectsTo: string | null;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * What is sent. A `timeout` limits each silence, in milliseconds. An `agent` keeps connections open, which is only for hosts of the
 * operator: a kept socket is found by name, and could outlive the check of the name.
 */
type Sent = Pick<RequestOptions, 'method' | 'headers' | 'timeout' | 'agent'> & { body?: string | Readable };

/**
 * Sends a request and reads its answer as text, within limits of time and size.
 *
 * @throws ServiceError `invalid` as {@link openGuarded} does, and for an answer that is too long.
 * @throws Outage as {@link openGuarded} does, and for an answer that takes too long.
 */
export async function guardedRequest(url: URL, sent: Sent, rules: RequestRules): Promise<GuardedAnswer> {
  const timeout = AbortSignal.timeout(rules.timeoutMs);
  const signal = AbortSignal.any([rules.signal, timeout]);
  try {
    const response = await openGuarded(url, sent, { ...rules, signal });
    const text = await textOf(response, url, rules);
    // A body without a length ends with its connection, even if the connection was cut.
    signal.throwIfAborted();
    return {
      status: response.statusCode ?? 0,
      redirectsTo: redirectOf(response, url),
      headers: response.headers,
      text,
    };
  } catch (error) {
    if (rules.signal.aborted || error instanceof ServiceError || error instanceof Outage) throw error;
    if (timeout.aborted) throw new Outage(`${url.host} did not answer within ${rules.timeoutMs / 1000} s`);
    throw unreachable(url.host, error, rules.field);
  }
}

/**
 * Sends a request to a host that may be reached, and returns its answer. The caller reads or destroys the body.
 * Resolves the name once and connects to an address that it checked. A later change of the name has no effect.
 *
 * @throws ServiceError `invalid` if the target is not allowed (names PRIVATE_TARGETS) or proves no certificate.
 * @throws Outage if the host cannot be reached. The message names the host only: its address is the operator's, and
 *   the rest of the URL may hold a credential.
 */
export async function openGuarded(url: URL, sent: Sent, rules: TargetRules): Promise<IncomingMessage> {
  const { privateTargets, field, signal } = rules;
  const lookup =
    privateTargets === null
      ? {}
      : { lookup: pinnedLookup(await resolveTarget(privateTargets, url.hostname, field)) };
  return await requestTo(url, { agent: false, ...sent, ...lookup, signal }).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable(url.host, error, field);
  });
}

const requestTo = (
  url: URL,
  { body, ...options }: Sent & Pick<RequestOptions, 'lookup' | 'signal'>,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sending = request(url, options);
    sending
      .on('response', resolve)
      .on('error', reject)
      .on('timeout', () => sending.destroy(withCode('ETIMEDOUT')))
      // A host that changes the protocol ends the connection without an answer and without an error.
      .on('close', () => {
        reject(withCode('ECONNRESET'));
      });
    if (body === undefined || typeof body === 'string') sending.end(body);
    // A host that has answered need not read the rest. Any other failure is an error of the request, too.
    else pipeline(body, sending).catch(reject);
  });

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

async function textOf(
  response: IncomingMessage,
  url: URL,
  { mostBytes, longer, field }: RequestRules,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    // The loop destroys the response when it ends early.
    if (longer === 'cut' && bytes >= mostBytes) break;
    if (bytes > mostBytes)
      throw invalid(`${prefixOf(field)}${url.host} answered more than ${mostBytes} bytes to one request`);
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
}

const redirectOf = ({ statusCode = 0, headers }: IncomingMessage, url: URL): string | null =>
  statusCode >= 300 &&
  statusCode < 400 &&
  headers.location !== undefined &&
  URL.canParse(headers.location, url.href)
    ? new URL(headers.location, url).host
    : null;
