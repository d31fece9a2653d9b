import { isIP } from 'node:net';
import type { IPv6 } from 'ipaddr.js';
import { isPublicAddress, parseAddress } from './public-address.ts';

/** The hosts and networks that may be reached although they are not public (setting PRIVATE_TARGETS). */
export interface PrivateTargets {
  /** Names in lower case, without a trailing dot. A listed name may resolve to any address. */
  readonly names: ReadonlySet<string>;
  /** Listed addresses and CIDRs as IPv6 prefixes. */
  readonly networks: readonly [IPv6, number][];
}

const NAME = /^(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*$/;
/** The end of a name that the system resolver reads as an IPv4 address (`127.1`, `0x7f000001`). */
const NUMERIC_END = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/**
 * Reads PRIVATE_TARGETS: names, IP addresses and CIDRs, separated by commas. Ignores spaces and empty entries, so that
 * an empty text allows nothing.
 *
 * @throws Error that names the first malformed entry. It is no ServiceError, because the operator must mend it.
 */
export function parsePrivateTargets(text: string): PrivateTargets {
  const targets = { names: new Set<string>(), networks: [] as [IPv6, number][] };
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry !== '') addEntry(entry, targets);
  }
  return targets;
}

function addEntry(
  entry: string,
  { names, networks }: { names: Set<string>; networks: [IPv6, number][] },
): void {
  const [, network = entry, bits] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const host = normalHost(network);
  const address = parseAddress(host);
  const [width, unused] = isIP(host) === 4 ? [32, 96] : [128, 0];
  const prefix = Number(bits ?? width);
  if (address !== null && prefix <= width) networks.push([address, unused + prefix]);
  else if (bits === undefined && NAME.test(host) && !NUMERIC_END.test(host)) names.add(host);
  else
    throw new Error(
      `PRIVATE_TARGETS: ${JSON.stringify(entry)} is not a host name, an IP address or a CIDR ` +
        '(no scheme, port, path or wildcard; for example "minio,10.1.2.3,10.0.0.0/8")',
    );
}

/** True when a connection to `host` at the address `ip` is allowed: `ip` is public, or either is listed. */
export function mayReach({ names, networks }: PrivateTargets, host: string, ip: string): boolean {
  if (isPublicAddress(ip) || names.has(normalHost(host))) return true;
  const address = parseAddress(ip);
  return address !== null && networks.some((network) => address.match(network));
}

/** Returns a host as names are compared: in lower case, without the brackets of IPv6 or the trailing dot of a full name. */
export const normalHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
