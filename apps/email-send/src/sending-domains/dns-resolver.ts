import { Inject, Injectable } from '@nestjs/common';
import { DnsUnavailable, OutsidePublicDns, PublicDns } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import type { CnameAnswer, HostAnswer, NoRecords, TxtAnswer } from './domain-records.js';

export interface DnsResolverOptions {
  /** `address` or `address:port`; empty: the system's resolvers. */
  readonly dnsServers: readonly string[];
  /** Suffixes outside the public DNS that the operator allows. */
  readonly privateDomainSuffixes: readonly string[];
  /** Per attempt (2,000). */
  readonly dnsTimeoutMs?: number;
  /** Attempts per lookup (2). */
  readonly dnsTries?: number;
}

/** Lookups of names that users choose. Failures are returned: the DNS never causes an exception. */
@Injectable()
export class DnsResolver {
  readonly #dns: PublicDns;

  constructor(@Inject(CONFIG) { dnsServers, privateDomainSuffixes, dnsTimeoutMs, dnsTries }: DnsResolverOptions) {
    this.#dns = new PublicDns({
      servers: dnsServers,
      privateSuffixes: privateDomainSuffixes,
      ...(dnsTimeoutMs === undefined ? {} : { timeoutMs: dnsTimeoutMs }),
      ...(dnsTries === undefined ? {} : { tries: dnsTries }),
    });
  }

  async resolveTxt(name: string): Promise<TxtAnswer> {
    try {
      const texts = await this.#dns.texts(name);
      return texts.length > 0 ? { kind: 'found', texts } : { kind: 'absent' };
    } catch (error) {
      return noRecords(error);
    }
  }

  async resolveCname(name: string): Promise<CnameAnswer> {
    try {
      const targets = await this.#dns.aliases(name);
      return targets.length > 0 ? { kind: 'found', targets } : { kind: 'absent' };
    } catch (error) {
      return noRecords(error);
    }
  }

  async resolveHost(name: string): Promise<HostAnswer> {
    try {
      const host = await this.#dns.host(name);
      return host.aliases.length + host.addresses.length > 0 ? { kind: 'found', ...host } : { kind: 'absent' };
    } catch (error) {
      return noRecords(error);
    }
  }
}

const noRecords = (error: unknown): NoRecords => {
  if (error instanceof OutsidePublicDns) return { kind: 'refused' };
  return { kind: 'unavailable', reason: error instanceof DnsUnavailable ? error.message : String(error) };
};
