import { Module } from '@nestjs/common';
import { DnsResolver } from '../../sending-domains/ports.js';
import { DnsLookUps } from './dns-look-ups.js';
import { NodeDnsResolver } from './node-dns-resolver.js';

/** The DNS: records of sending domains, and what the diagnosis checks. */
@Module({
  providers: [{ provide: DnsResolver, useClass: NodeDnsResolver }, DnsLookUps],
  exports: [DnsResolver, DnsLookUps],
})
export class DnsModule {}
