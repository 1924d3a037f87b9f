export { HostNotResolved, HostResolver, type HostResolverOptions } from './host-resolver.js';
export { type HostAddress, NoPublicAddress, OutboundGuard, type OutboundGuardOptions } from './outbound-guard.js';
export { isPublicAddress, literalAddress, NON_PUBLIC_IPV4 } from './public-address.js';
export { DnsUnavailable, OutsidePublicDns, PublicDns, type PublicDnsOptions } from './public-dns.js';
export { isPublicName, notPublic, PRIVATE_SUFFIXES_DESCRIPTION } from './public-name.js';
