import { isIPv4, isIPv6 } from 'node:net';

/** What limits count as one client: an IPv4 address, or the /64 of an IPv6 address, which one client controls whole. */
export function clientNetwork(remoteAddress: string): string {
  if (isIPv4(remoteAddress)) return remoteAddress;
  const address = remoteAddress.replace(/%.*$/, '');
  if (!isIPv6(address)) return 'unknown';
  const groups = groupsOf(address);
  if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff) {
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.');
  }
  return `${groups
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address in any spelling. */
function groupsOf(address: string): number[] {
  // The URL parser writes every spelling in the same way, without a dotted part.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16)));
  const [before, after] = [numbers(head), numbers(tail ?? '')];
  return tail === undefined
    ? before
    : [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
