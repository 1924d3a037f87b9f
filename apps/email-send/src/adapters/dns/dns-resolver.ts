import { Resolver } from 'node:dns/promises';
import type { TxtAnswer } from '../../domain/domain-records.js';
import { DnsResolver } from '../../ports.js';

/** The name has no such record: an answer like any other. EBADNAME: the name cannot exist. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name servers of the domain failed (SERVFAIL)',
  ETIMEOUT: 'no name server answered in time',
  EREFUSED: 'the name server refused to answer',
  ECONNREFUSED: 'no name server could be reached',
};

export interface DnsResolverOptions {
  /** `address` or `address:port`; empty: those of the system. */
  readonly servers: readonly string[];
  /** For each try. Default 2,000. */
  readonly timeoutMs?: number;
  /** Default 2. */
  readonly tries?: number;
}

/** TXT look-ups over UDP, and TCP where an answer is long. One resolver per process. */
export class NodeDnsResolver extends DnsResolver {
  readonly #resolver: Resolver;

  constructor({ servers, timeoutMs = 2_000, tries = 2 }: DnsResolverOptions) {
    super();
    this.#resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) this.#resolver.setServers([...servers]);
  }

  async lookUpTxt(name: string): Promise<TxtAnswer> {
    try {
      const records = await this.#resolver.resolveTxt(name);
      // The strings of one record are joined without anything between them (RFC 7208 §3.3, RFC 6376 §3.6.2.2).
      return { kind: 'found', texts: records.map(strings => strings.join('')) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      if (ABSENT.has(code)) return { kind: 'absent' };
      return { kind: 'unavailable', reason: REASONS[code] ?? code };
    }
  }
}
