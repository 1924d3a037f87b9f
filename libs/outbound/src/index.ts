export { EndpointHttpClient, type EndpointHttpClientOptions, type EndpointRequest } from './endpoint-http-client.js';
export type { EndpointResponse } from './endpoint-response.js';
export { acceptEndpointUrl, type EndpointProtocols, InvalidEndpointUrl } from './endpoint-urls.js';
export { HostNotResolved, HostResolver, type HostResolverOptions } from './host-resolver.js';
export { type HostAddress, NoPublicAddress, OutboundGuard, type OutboundGuardOptions } from './outbound-guard.js';
export { isPublicAddress, literalAddress, NON_PUBLIC_IPV4 } from './public-address.js';
export { DnsUnavailable, OutsidePublicDns, PublicDns, type PublicDnsOptions } from './public-dns.js';
export { isPublicName, notPublic, PRIVATE_SUFFIXES_DESCRIPTION } from './public-name.js';
export { signedHeaders } from './signed-headers.js';
