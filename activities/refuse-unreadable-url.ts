import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { invalid } from '../domain/errors.ts';
import { pinnedLookup } from '../egress/pinned-lookup.ts';
import type { PrivateTargets } from '../egress/private-targets.ts';
import { resolveTarget } from '../egress/resolve-target.ts';

const TIMEOUT_MS = 30_000;
/** Client errors that may pass by themselves. */
const PASSING = new Set([408, 425, 429]);

/**
 * Asks for a URL's first byte and throws `invalid` when its host refuses: DuckDB reports an expired signature
 * like an outage, and would be tried again for an hour. Outages and redirects are left to the reading itself.
 */
export const refuseUnreadableUrl = async (
  url: string,
  privateTargets: PrivateTargets,
  field = 'location',
): Promise<void> => {
  const target = new URL(url);
  const addresses = await resolveTarget(privateTargets, target.hostname, field);
  const status = await statusOf(target, addresses).catch(() => null);
  if (status !== null && status >= 400 && status < 500 && !PASSING.has(status)) {
    throw invalid(
      `${field}: ${target.host} answered ${status} for ${target.pathname}: check the address, or renew its signature`,
    );
  }
};

const statusOf = (target: URL, addresses: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const options: RequestOptions = {
      headers: { range: 'bytes=0-0' },
      timeout: TIMEOUT_MS,
      agent: false,
      // The addresses that were judged are the ones that are asked.
      lookup: pinnedLookup(addresses),
    };
    const request = (target.protocol === 'https:' ? getHttps : getHttp)(target, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', reject);
  });
