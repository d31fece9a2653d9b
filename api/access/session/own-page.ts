import type { FastifyRequest } from 'fastify';
import { forbidden, unauthenticated } from '../../../domain/shared/errors.ts';

/** The header that pages of the service send. A page of another site cannot send it without asking first. */
const PAGE_HEADER = { name: 'X-Requested-With', value: 'cost-analytics' };

/**
 * Throws a 403 for a request that the browser says a page of another site sends. Requests of other clients pass
 * (docs/http.md#browser-session).
 */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? headers.origin === undefined || isOrigin(headers.origin, headers.host)
      : site === 'same-origin' || site === 'none';
  if (!isOwn) throw forbidden('Origin: expected a page of this service, got another site');
}

/** Throws a 401 for a request without the header of the service's own pages. */
export function requirePageHeader({ headers }: FastifyRequest): void {
  if (headers['x-requested-with'] !== PAGE_HEADER.value)
    throw unauthenticated(
      `${PAGE_HEADER.name}: expected "${PAGE_HEADER.value}" with the cookie of a session`,
    );
}

/** Whether a page of this origin is served by this host. Browsers leave out the usual port of the protocol. */
function isOrigin(origin: string, host = ''): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: expected } = new URL(origin);
  const served = `${protocol}//${host}`;
  return URL.canParse(served) && new URL(served).host === expected;
}

/** Whether the page came over https, at least to the proxy in front of the service. `publicUrl` decides if it is of https. */
export const isHttps = ({ headers }: FastifyRequest, publicUrl: URL | null): boolean =>
  publicUrl?.protocol === 'https:' ||
  /^https\b/i.test(String(headers['x-forwarded-proto'] ?? '')) ||
  /^https:/i.test(headers.origin ?? '');

/**
 * Throws a 403 for a request by another name than the service's own, or by a page of another origin. A page of a stranger could
 * otherwise point its own name at this machine (DNS rebinding). Without `publicUrl` only pages of other sites are refused.
 */
export function refuseOtherNames(request: FastifyRequest, publicUrl: URL | null): void {
  if (publicUrl === null) {
    refuseOtherSites(request);
    return;
  }
  const { host, origin } = request.headers;
  if (!isOrigin(publicUrl.origin, host))
    throw forbidden(`Host: expected ${publicUrl.host}, the host of PUBLIC_URL`);
  if (origin !== undefined && origin !== publicUrl.origin)
    throw forbidden(`Origin: expected ${publicUrl.origin}, the PUBLIC_URL, got another one`);
}
