import { Module } from '@nestjs/common';
import { DnsResolver } from '../../sending-domains/ports.js';
import { DnsLookups } from './dns-lookups.js';
import { NodeDnsResolver } from './node-dns-resolver.js';

/** The DNS: records of sending domains, and what the diagnosis checks. */
@Module({
  providers: [{ provide: DnsResolver, useClass: NodeDnsResolver }, DnsLookups],
  exports: [DnsResolver, DnsLookups],
})
export class DnsModule {}
