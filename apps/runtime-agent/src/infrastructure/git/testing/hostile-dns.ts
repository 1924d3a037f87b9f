import { Resolver } from 'node:dns/promises';
import { isPublicAddress, OutboundGuard } from '@postern/outbound';

/** A guard that uses one DNS server; loopback addresses that are not listed count as private. */
export const guardWithDns = (dnsAddress: string, publicLoopback: readonly string[] = []): OutboundGuard => {
  const resolver = new Resolver();
  resolver.setServers([dnsAddress]);
  return new OutboundGuard({
    allowPrivate: false,
    resolve: async name => (await resolver.resolve4(name)).map(address => ({ address, family: 4 })),
    isPublic: address => isPublicAddress(address) || publicLoopback.includes(address),
  });
};
