import type { IncomingMessage } from 'node:http';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import type { ObjectStorage } from '../../domain/sources/exports/object-storage.ts';
import { openGuarded, type TargetRules } from '../requests/guarded-request.ts';
import { mayPass } from '../requests/passing-status.ts';
import { signedRequest } from './signed-request.ts';

export interface RemoteRules extends TargetRules {
  field: string;
  objectStorage: ObjectStorage;
}

/** A version of a file. */
export interface FileVersion {
  /** Identifies the version among those of the file. */
  version: string;
  /** When it was written, in milliseconds since 1970; null if the host does not say. */
  writtenAt: number | null;
  /** Its size; null if the host does not say. */
  bytes: number | null;
  /** Whether nothing tells this version from a later one. */
  isUncertain?: boolean;
}

const TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;

/** Whether a file of a source lies on another machine. */
export const isRemote = (path: string): boolean => /^(s3|https?):\/\//i.test(path);

/**
 * Requests a remote file (`https://`, `http://` or `s3://`). Follows redirects, and checks each target like the first.
 *
 * @param range the bytes to request, as in the header; null requests all.
 * @returns the answer, 200 or 206. The caller reads its body or destroys it.
 * @throws ServiceError `invalid` if the host refuses, proves no certificate, or the target is not allowed.
 * @throws Outage if the host cannot be reached or reports an outage of its own.
 */
export async function openRemoteFile(
  path: string,
  rules: RemoteRules,
  range: string | null = null,
): Promise<IncomingMessage> {
  const ask = path.startsWith('s3:')
    ? await signedRequest(path, rules.objectStorage)
    : { url: new URL(path), headers: {} };
  let { url, headers } = ask;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const answer = await openGuarded(
      url,
      { headers: range === null ? headers : { ...headers, range }, timeout: TIMEOUT_MS },
      rules,
    );
    const status = answer.statusCode ?? 0;
    if (status === 200 || status === 206) return answer;
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

/** Returns what identifies the version of a remote file (its ETag, or else its size and time), and when it was written. */
export async function remoteVersion(path: string, rules: RemoteRules): Promise<FileVersion> {
  const { headers } = await openRemoteFile(path, rules, 'bytes=0-0').then((answer) => answer.destroy());
  const size = headers['content-range']?.split('/')[1] ?? headers['content-length'] ?? '';
  const modified = headers['last-modified'] ?? '';
  const writtenAt = Date.parse(modified);
  return {
    version: headers.etag ?? `${size} ${modified}`,
    writtenAt: Number.isNaN(writtenAt) ? null : writtenAt,
    bytes: /^\d+$/.test(size) ? Number(size) : null,
    isUncertain: headers.etag === undefined && modified === '',
  };
}
