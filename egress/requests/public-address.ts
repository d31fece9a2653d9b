import { BlockList, isIP } from 'node:net';

/** IPv4 ranges that are not part of the public Internet (IANA special-purpose registry, plus multicast). */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8], // "this network", with the unspecified address
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, with the clouds' metadata services
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, withdrawn
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, with the broadcast address
] as const;

const specialIpv4 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) specialIpv4.addSubnet(network, prefix, 'ipv4');

/**
 * True when `ip` is a globally routed unicast address. False for every loopback, private, link-local or
 * otherwise special address, for IPv6 forms that carry such an IPv4 address, and for text that is no address.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 4) return !specialIpv4.check(ip, 'ipv4');
  const groups = ipv6Groups(ip);
  if (groups === null) return false;
  const [a, b, c, d, e, f, g, h] = groups;
  const start = [a, b, c, d, e, f].map((group) => group.toString(16)).join(':');
  // IPv4-mapped, and the well-known prefix of NAT64: a gateway would speak to the address in the last 32 bits.
  if (start === '0:0:0:0:0:ffff' || start === '64:ff9b:0:0:0:0') return isPublicAddress(ipv4Text(g, h));
  if (a === 0x2002) return isPublicAddress(ipv4Text(b, c)); // 6to4
  // What is left must be global unicast (2000::/3): naming what is public is safer than naming what is not.
  if (a < 0x2000 || a > 0x3fff) return false;
  const protocolAssignment = a === 0x2001 && b < 0x0200; // 2001::/23, with Teredo and ORCHID
  const documentation = (a === 0x2001 && b === 0x0db8) || (a === 0x3fff && b < 0x1000);
  return !protocolAssignment && !documentation;
}

/** The IPv4 address that an IPv4-mapped IPv6 address stands for; any other address as it came. */
export function unmapped(ip: string): string {
  const groups = ipv6Groups(ip);
  if (groups?.slice(0, 6).join() !== '0,0,0,0,0,65535') return ip;
  return ipv4Text(groups[6], groups[7]);
}

type Groups = [number, number, number, number, number, number, number, number];

/** The eight 16-bit groups of an IPv6 address, or null. An address with a zone (`%eth0`) is link-local: null. */
function ipv6Groups(ip: string): Groups | null {
  if (isIP(ip) !== 6 || ip.includes('%')) return null;
  // The URL parser writes every spelling (dotted quad, upper case, zeros) in one way.
  const [head = '', tail] = new URL(`http://[${ip}]/`).hostname.slice(1, -1).split('::');
  const parse = (part: string | undefined): number[] =>
    part === undefined || part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = parse(head);
  const after = parse(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after] as Groups;
}

const ipv4Text = (high: number, low: number): string =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
