import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { CnameAnswer, TxtAnswer } from '../../sending-domains/domain-records.js';
import { DnsResolver } from '../../sending-domains/ports.js';

/** The name has no such record, which is a normal answer. EBADNAME: the name cannot exist. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name servers of the domain failed (SERVFAIL)',
  ETIMEOUT: 'no name server answered in time',
  EREFUSED: 'the name server refused to answer',
  ECONNREFUSED: 'no name server could be reached',
};

export interface DnsResolverOptions {
  /** `address` or `address:port`; empty: the system's resolvers. */
  readonly dnsServers: readonly string[];
  /** Per attempt (2,000). */
  readonly dnsTimeoutMs?: number;
  /** Attempts per lookup (2). */
  readonly dnsTries?: number;
}

/** TXT and CNAME lookups over UDP, or TCP for long answers. */
@Injectable()
export class NodeDnsResolver extends DnsResolver {
  readonly #resolver: Resolver;

  constructor(@Inject(CONFIG) { dnsServers, dnsTimeoutMs = 2_000, dnsTries = 2 }: DnsResolverOptions) {
    super();
    this.#resolver = new Resolver({ timeout: dnsTimeoutMs, tries: dnsTries });
    if (dnsServers.length > 0) this.#resolver.setServers([...dnsServers]);
  }

  async lookUpTxt(name: string): Promise<TxtAnswer> {
    try {
      const records = await this.#resolver.resolveTxt(name);
      // The strings of one record are joined without anything between them (RFC 7208 §3.3, RFC 6376 §3.6.2.2).
      return { kind: 'found', texts: records.map(strings => strings.join('')) };
    } catch (error) {
      return noAnswer(error);
    }
  }

  async lookUpCname(name: string): Promise<CnameAnswer> {
    try {
      return { kind: 'found', targets: await this.#resolver.resolveCname(name) };
    } catch (error) {
      return noAnswer(error);
    }
  }
}

function noAnswer(error: unknown): { kind: 'absent' } | { kind: 'unavailable'; reason: string } {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (ABSENT.has(code)) return { kind: 'absent' };
  return { kind: 'unavailable', reason: REASONS[code] ?? code };
}
