import { isIPv4, isIPv6 } from 'node:net';

/**
 * The key of a client for limits: an IPv4 address, or the /64 of an IPv6 address, which is one site (RFC 6177). The loopback
 * addresses are one client, because a process may use all of 127.0.0.0/8 as its source.
 */
export const clientNetworkOf = (address: string): string => {
  const canonical = canonicalOf(address);
  if (canonical === undefined) return 'unknown';
  if (typeof canonical !== 'string') return isLoopback(canonical) ? LOOPBACK : prefixOf(canonical, 4);
  return canonical.startsWith('127.') ? LOOPBACK : canonical;
};

/** The network of an address, too wide to identify a client: the /24 of IPv4, the /48 of IPv6. Null for other text. */
export const wideNetworkOf = (address: string): string | null => {
  const canonical = canonicalOf(address);
  if (canonical === undefined) return null;
  if (typeof canonical !== 'string') return prefixOf(canonical, 3);
  return `${canonical.slice(0, canonical.lastIndexOf('.'))}.0/24`;
};

const LOOPBACK = '127.0.0.0/8';

/** `::1` */
const isLoopback = (groups: readonly number[]): boolean =>
  groups.every((group, index) => group === (index === 7 ? 1 : 0));

const prefixOf = (groups: readonly number[], count: number): string =>
  `${groups
    .slice(0, count)
    .map(group => group.toString(16))
    .join(':')}::/${count * 16}`;

/** An IPv4 address (also if written as IPv6), or the eight groups of an IPv6 address; undefined for other text. */
const canonicalOf = (address: string): string | readonly number[] | undefined => {
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return undefined;
  const groups = groupsOf(plain);
  if (groups.slice(0, 5).some(group => group !== 0) || groups[5] !== 0xffff) return groups;
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 0xff])
    .join('.');
};

/** The URL parser normalizes every notation, without a dotted part. */
const groupsOf = (address: string): readonly number[] => {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
};
