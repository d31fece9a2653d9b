import { BlockList, isIP } from 'node:net';
import { isPublicAddress, unmapped } from './public-address.ts';

export { isPublicAddress } from './public-address.ts';

/** The hosts and networks that may be reached although they are not public (setting PRIVATE_TARGETS). */
export interface PrivateTargets {
  /** Names in lower case, without a trailing dot. A listed name may resolve to any address. */
  readonly names: ReadonlySet<string>;
  /** Listed addresses and CIDRs. */
  readonly networks: BlockList;
}

const NAME = /^(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*$/;
/** The system resolver reads a name that ends so (`127.1`, `0x7f000001`) as an IPv4 address. */
const NUMERIC_END = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/**
 * Reads PRIVATE_TARGETS: names, IP addresses and CIDRs, separated by commas. Spaces and empty entries are
 * ignored, so an empty text allows nothing.
 *
 * @throws Error that names the first malformed entry. A plain Error: it is the operator's, not a tenant's.
 */
export function parsePrivateTargets(text: string): PrivateTargets {
  const names = new Set<string>();
  const networks = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry !== '') addEntry(entry, names, networks);
  }
  return { names, networks };
}

function addEntry(entry: string, names: Set<string>, networks: BlockList): void {
  const host = normalHost(entry);
  if (isIP(host) !== 0 && !host.includes('%')) {
    networks.addAddress(host, family(host));
    return;
  }
  const cidr = /^([^/]+)\/(\d{1,3})$/.exec(entry);
  if (cidr !== null) {
    const network = normalHost(cidr[1] ?? '');
    const prefix = Number(cidr[2]);
    if (isIP(network) !== 0 && !network.includes('%') && prefix <= (isIP(network) === 4 ? 32 : 128)) {
      networks.addSubnet(network, prefix, family(network));
      return;
    }
  } else if (NAME.test(host) && !NUMERIC_END.test(host)) {
    names.add(host);
    return;
  }
  throw new Error(
    `PRIVATE_TARGETS: ${JSON.stringify(entry)} is not a host name, an IP address or a CIDR ` +
      '(no scheme, port, path or wildcard; for example "minio,10.1.2.3,10.0.0.0/8")',
  );
}

/** True when a connection to `host` at the address `ip` is allowed: `ip` is public, or either is listed. */
export function mayReach(targets: PrivateTargets, host: string, ip: string): boolean {
  if (isPublicAddress(ip)) return true;
  if (targets.names.has(normalHost(host))) return true;
  const address = unmapped(ip);
  return isIP(address) !== 0 && !address.includes('%') && targets.networks.check(address, family(address));
}

/** A host as names are compared: lower case, without the brackets of IPv6 or the trailing dot of a full name. */
export function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

const family = (ip: string): 'ipv4' | 'ipv6' => (isIP(ip) === 4 ? 'ipv4' : 'ipv6');
