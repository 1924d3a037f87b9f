import { isIPv4, isIPv6 } from 'node:net';

/** The network of an address, which many clients share: the /24 of IPv4, the /48 of IPv6. Null if it is no address. */
export const clientNetworkOf = (address: string): string | null => {
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return null;
  return `${groupsOf(plain).slice(0, 3).join(':')}::/48`;
};

/** The URL parser writes an address in hexadecimal groups without leading zeros. */
const groupsOf = (address: string): readonly string[] => {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const first = head.split(':').filter(Boolean);
  if (tail === undefined) return first;
  const last = tail.split(':').filter(Boolean);
  return [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
};
