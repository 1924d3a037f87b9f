export { type HostAddress, NoPublicAddress, OutboundGuard, type OutboundGuardOptions } from './outbound-guard.js';
export { isPublicAddress, literalAddress } from './public-address.js';
