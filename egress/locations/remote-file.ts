import type { IncomingMessage } from 'node:http';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import { bucketProblem } from '../buckets/bucket-problem.ts';
import { bucketRequest } from '../buckets/bucket-request.ts';
import type { BucketRules } from '../buckets/list-bucket.ts';
import { openGuarded } from '../requests/guarded-request.ts';
import { mayPass } from '../requests/passing-status.ts';

/** A version of a file. */
export interface FileVersion {
  /** Identifies the version among those of the file: the ETag of a bucket or host, else the size and the time. */
  version: string;
  /** Null if the host does not say. */
  bytes: number | null;
  /** When it was written, in milliseconds since 1970; null if the host does not say. */
  writtenAt: number | null;
  /** Whether nothing tells this version from a later one. */
  isUncertain?: boolean;
}

const TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;
/** Of an error's answer. It begins with the code of the error. */
const MOST_ERROR_BYTES = 4_096;

/** Whether a file of a source lies on another machine. */
export const isRemote = (path: string): boolean => /^(s3|gs|az|https?):\/\//i.test(path);

/**
 * Requests a remote file of a bucket, or of a web server. Follows redirects of a web server, and checks each target like the first.
 *
 * @param range the bytes to request, as in the header; null requests all.
 * @returns the answer, 200 or 206. The caller reads its body or destroys it.
 * @throws ServiceError `invalid` if the host refuses, proves no certificate, or the target is not allowed.
 * @throws Outage if the host cannot be reached or reports an outage of its own.
 */
export async function openRemoteFile(
  path: string,
  rules: BucketRules,
  range: string | null = null,
): Promise<IncomingMessage> {
  const signed = await bucketRequest(path, rules.buckets);
  const ask = signed ?? { url: new URL(path), headers: {} };
  let { url, headers } = ask;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const answer = await openGuarded(
      url,
      { headers: range === null ? headers : { ...headers, range }, timeout: TIMEOUT_MS },
      rules,
    );
    const status = answer.statusCode ?? 0;
    if (status === 200 || status === 206) return answer;
    if (signed !== null && !mayPass(status)) {
      const text = await beginningOf(answer);
      const refusal = { asked: 'read', path, url, status, headers: answer.headers, text } as const;
      throw invalid(`${rules.field}: ${bucketProblem(refusal)}`);
    }
    answer.destroy();
    const next = answer.headers.location;
    if (status >= 300 && status < 400 && next !== undefined) {
      if (!URL.canParse(next, url.href))
        throw invalid(
          `${rules.field}: ${ask.url.host} redirects to no valid URL, expected one with https: or http:`,
        );
      url = new URL(next, url);
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw invalid(
          `${rules.field}: ${ask.url.host} redirects to ${url.protocol}, expected https: or http:`,
        );
      headers = {};
      continue;
    }
    if (mayPass(status)) throw new Outage(`${url.host} answered ${status} for ${url.pathname}`);
    throw invalid(
      `${rules.field}: ${url.host} answered ${status} for ${url.pathname}: check the address, or renew its signature`,
    );
  }
  throw invalid(`${rules.field}: ${ask.url.host} redirects more than ${MOST_REDIRECTS} times`);
}

/** Returns the beginning of an answer; what has arrived if the rest does not. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      text += chunk.toString();
      // The loop destroys the answer when it ends early.
      if (text.length > MOST_ERROR_BYTES) break;
    }
  } catch {
    return text;
  }
  return text;
}

/** Returns the version of a file on a web server. */
export async function webVersion(path: string, rules: BucketRules): Promise<FileVersion> {
  const { headers } = await openRemoteFile(path, rules, 'bytes=0-0').then((answer) => answer.destroy());
  const size = headers['content-range']?.split('/')[1] ?? headers['content-length'] ?? '';
  const modified = headers['last-modified'] ?? '';
  const writtenAt = Date.parse(modified);
  return {
    version: headers.etag ?? `${size} ${modified}`,
    bytes: /^\d+$/.test(size) ? Number(size) : null,
    writtenAt: Number.isNaN(writtenAt) ? null : writtenAt,
    isUncertain: headers.etag === undefined && modified === '',
  };
}
