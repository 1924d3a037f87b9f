import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const ranges = (...texts: readonly string[]): readonly Range[] => texts.map(text => ipaddr.parseCIDR(text));

/** Ranges of other networks than the internet, by the IANA IPv4 Special-Purpose Address Registry and RFC 5771. */
export const NON_PUBLIC_IPV4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // includes Alibaba Cloud's metadata address, 100.100.100.200
  '127.0.0.0/8',
  '169.254.0.0/16', // includes the metadata address of most clouds, 169.254.169.254
  '172.16.0.0/12',
  '192.0.0.0/24', // includes Oracle Cloud's metadata address, 192.0.0.192
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32', // Azure's platform address, which is not in the registry
];

/** Examples of documents: no host of the internet has these addresses (RFC 5737). */
const DOCUMENTATION_IPV4 = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'];

const SPECIAL_IPV4 = ranges(...NON_PUBLIC_IPV4, ...DOCUMENTATION_IPV4);

/** The only IPv6 block with public addresses (IANA IPv6 Global Unicast Address Assignments). */
const [GLOBAL_IPV6] = ranges('2000::/3');

/** Ranges of that block that are not public, or that embed an IPv4 address of another network. */
const SPECIAL_IPV6 = ranges(
  '2001::/23', // IETF protocols, including Teredo (2001::/32)
  '2001:db8::/32',
  '2002::/16', // 6to4 (RFC 7526)
  '3fff::/20',
);

/** NAT64 (RFC 6052): the last four bytes are the IPv4 address of the destination. */
const [NAT64] = ranges('64:ff9b::/96');

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Range): boolean => address.match(network, bits);

const isPublicIpv4 = (address: ipaddr.IPv4): boolean => !SPECIAL_IPV4.some(range => isIn(address, range));

const embeddedIpv4 = (address: ipaddr.IPv6): ipaddr.IPv4 | undefined => {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return isIn(address, NAT64!) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : undefined;
};

/** Whether the text is an IP address that is reachable over the internet and not a metadata address of a cloud. */
export const isPublicAddress = (text: string): boolean => {
  // ipaddr.js also accepts the short forms of inet_aton, such as 1.0.
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  const embedded = embeddedIpv4(address);
  if (embedded) return isPublicIpv4(embedded);
  return isIn(address, GLOBAL_IPV6!) && !SPECIAL_IPV6.some(range => isIn(address, range));
};

/** The IP address that is the host of a URL, without brackets; undefined for host names. */
export const literalAddress = ({ hostname }: URL): string | undefined => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
};
