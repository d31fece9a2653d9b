import dns from 'node:dns';
import { isIP } from 'node:net';
import { invalid } from '../../domain/shared/errors.ts';
import { mayReach, normalHost, type PrivateTargets } from './private-targets.ts';

/**
 * The addresses of `host` (a name, an IP address, or an IPv6 address in brackets), once it is certain that
 * every one of them may be reached. Connect to one of these, never to the name: the name may resolve to
 * something else by then.
 *
 * The message does not say which address was refused: the names of the operator's network resolve here, and
 * a tenant must not read their addresses.
 *
 * @param field when given, the name of the request's field, put before the message.
 * @throws ServiceError `invalid` when an address is not allowed (names PRIVATE_TARGETS), or none is found.
 */
export async function resolveTarget(
  targets: PrivateTargets,
  host: string,
  field?: string,
): Promise<string[]> {
  const prefix = field === undefined ? '' : `${field}: `;
  const addresses = await addressesOf(host);
  if (addresses.length === 0) throw invalid(`${prefix}the host ${JSON.stringify(host)} does not resolve`);
  if (!addresses.every((ip) => mayReach(targets, host, ip))) {
    throw invalid(
      `${prefix}the host ${JSON.stringify(host)} is a loopback, private or link-local address: ` +
        'allow it with PRIVATE_TARGETS',
    );
  }
  return addresses;
}

async function addressesOf(host: string): Promise<string[]> {
  const name = normalHost(host);
  if (isIP(name) !== 0) return [name];
  try {
    // The resolver of the system, as a connection would use: /etc/hosts, search domains, numeric forms.
    return (await dns.promises.lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
