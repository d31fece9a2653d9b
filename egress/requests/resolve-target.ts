import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { invalid } from '../../domain/shared/errors.ts';
import { mayReach, normalHost, type PrivateTargets } from './private-targets.ts';

/**
 * Returns the addresses of `host` (a name, an IP address, or an IPv6 address in brackets) if all of them may be
 * reached. Connect to one of these, never to the name: the name may resolve to something else by then.
 *
 * The message does not name the refused address: the names of the operator's network resolve here, and a tenant
 * must not read their addresses.
 *
 * @param field the name of the request's field, put before the message.
 * @throws ServiceError `invalid` if an address is not allowed (names PRIVATE_TARGETS), or none is found.
 */
export async function resolveTarget(
  targets: PrivateTargets,
  host: string,
  field?: string,
): Promise<string[]> {
  const subject = `${prefixOf(field)}the host ${JSON.stringify(host)}`;
  const addresses = await addressesOf(normalHost(host));
  if (addresses.length === 0) throw invalid(`${subject} does not resolve`);
  if (!addresses.every((ip) => mayReach(targets, host, ip)))
    throw invalid(`${subject} is a loopback, private or link-local address: allow it with PRIVATE_TARGETS`);
  return addresses;
}

/** The beginning of a message about a field; empty without one. */
export const prefixOf = (field?: string): string => (field === undefined ? '' : `${field}: `);

async function addressesOf(name: string): Promise<string[]> {
  if (isIP(name) !== 0) return [name];
  try {
    // The resolver of the system, as a connection would use: /etc/hosts, search domains, numeric forms.
    return (await dns.promises.lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** A `lookup` for one connection that returns these checked addresses for any name. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = answers;
    if (options.all === true || first === undefined) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}
