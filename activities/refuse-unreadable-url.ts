import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { isIP } from 'node:net';
import { invalid } from '../domain/errors.ts';
import type { PrivateTargets } from '../egress/private-targets.ts';
import { resolveTarget } from '../egress/resolve-target.ts';

const TIMEOUT_MS = 30_000;
/** Client errors that may pass by themselves. */
const PASSING = new Set([408, 425, 429]);

/**
 * Asks for a URL's first byte and throws `invalid` when its host refuses: DuckDB reports an expired signature
 * like an outage, and would be tried again for an hour. Outages and redirects are left to the reading itself.
 */
export const refuseUnreadableUrl = async (url: string, privateTargets: PrivateTargets): Promise<void> => {
  const target = new URL(url);
  const [address] = await resolveTarget(privateTargets, target.hostname, 'location');
  const status = await statusOf(target, address).catch(() => null);
  if (status !== null && status >= 400 && status < 500 && !PASSING.has(status)) {
    throw invalid(
      `location: ${target.host} answered ${status} for ${target.pathname}: check the address, or renew its signature`,
    );
  }
};

const statusOf = (target: URL, address: string | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    const options: RequestOptions = {
      headers: { range: 'bytes=0-0' },
      timeout: TIMEOUT_MS,
      agent: false,
      // The address that was judged is the one that is asked.
      lookup: (_host, lookup, found) => {
        if (address === undefined) found(new Error('no address'), '');
        else if (lookup.all === true) found(null, [{ address, family: isIP(address) }]);
        else found(null, address, isIP(address));
      },
    };
    const request = (target.protocol === 'https:' ? getHttps : getHttp)(target, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', reject);
  });
