import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';

const QUERY = /[?#]/;

/** The origin that a proxy's request has before the path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Returns the path of a URL without the query, which can hold a customer's labels. */
export const pathOf = (url: string): string => url.split(QUERY, 1)[0] ?? '';

/**
 * Returns a URL that the router can look up, for any request. It drops the origin, and escapes a path that cannot be
 * decoded. Otherwise the router would answer such a request before the key is checked.
 */
export function routableUrl(url: string): string {
  const target = url.replace(ORIGIN, '');
  const local = /^[/*]/.test(target) ? target : `/${target}`;
  return isDecodable(pathOf(local), decodeURI) ? local : local.replaceAll('%', '%25');
}

/** Throws if a URL is not percent-encoded UTF-8. */
export function refuseBrokenUrl(url: string): void {
  const path = pathOf(url);
  if (!isDecodable(path, decodeURI))
    throw invalid(`path: expected percent-encoded UTF-8, got ${forMessage(path)}`);
  const query = url.slice(path.length);
  if (!isDecodable(query, decodeURIComponent))
    throw invalid(`query: expected percent-encoded UTF-8, got ${forMessage(query)}`);
}

function isDecodable(text: string, decode: (text: string) => string): boolean {
  if (!text.includes('%')) return true;
  try {
    decode(text);
    return true;
  } catch {
    return false;
  }
}
