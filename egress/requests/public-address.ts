import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Names of the IPv4 ranges that the Internet routes: all that is not special, and the services AS112 and AMT. */
const ROUTED: readonly string[] = ['unicast', 'as112', 'amt'];
/** All public IPv6 addresses are in here. A list of what is public is safer than one of what is not. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The range of AS112 that the Internet routes. */
const AS112 = ipaddr.IPv6.parseCIDR('2620:4f:8000::/48');
/** A gateway of NAT64 or 6to4 connects to the IPv4 address at this byte of an IPv6 address. */
const GATEWAYS = [
  { range: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('2002::/16'), at: 2 },
];

/**
 * Whether `ip` is a globally routed unicast address. Loopback, private, link-local and other special addresses are not,
 * nor IPv6 addresses that carry a special IPv4 address, nor text that is no address.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip);
  if (address === null) return false;
  if (address.isIPv4MappedAddress()) return isRoutedIpv4(address.toIPv4Address());
  const gateway = GATEWAYS.find(({ range }) => address.match(range));
  if (gateway !== undefined)
    return isRoutedIpv4(new ipaddr.IPv4(address.toByteArray().slice(gateway.at, gateway.at + 4)));
  return address.match(GLOBAL_UNICAST) && (address.range() === 'unicast' || address.match(AS112));
}

const isRoutedIpv4 = (address: ipaddr.IPv4): boolean => ROUTED.includes(address.range());

/** An address as IPv6, an IPv4 address as its IPv4-mapped form. Null for other text and for a zone (`%eth0`). */
export function parseAddress(ip: string): ipaddr.IPv6 | null {
  if (isIP(ip) === 4) return ipaddr.IPv4.parse(ip).toIPv4MappedAddress();
  if (isIP(ip) === 0 || ip.includes('%')) return null;
  // ipaddr.js takes `::1.2.3.4` for IPv4-mapped, which it is not. The URL parser writes hexadecimal groups.
  return ipaddr.IPv6.parse(new URL(`http://[${ip}]/`).hostname.slice(1, -1));
}
