import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import { DnsUnavailable, DomainDns } from './ports.js';

/** The name has no such record, which is a normal answer. EBADNAME: the name cannot exist. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/** Look-ups at the configured resolvers, or those of the system. */
@Injectable()
export class NodeDomainDns extends DomainDns {
  readonly #resolver = new Resolver({ timeout: 2_000, tries: 2 });

  constructor(@Inject(CONFIG) { dnsServers }: { readonly dnsServers: readonly string[] }) {
    super();
    if (dnsServers.length > 0) this.#resolver.setServers([...dnsServers]);
  }

  override async texts(name: string): Promise<readonly string[]> {
    return (await answerOf(this.#resolver.resolveTxt(name))).map(strings => strings.join(''));
  }

  override aliases(name: string): Promise<readonly string[]> {
    return answerOf(this.#resolver.resolveCname(name));
  }
}

const answerOf = async <T>(answer: Promise<T[]>): Promise<T[]> => {
  try {
    return await answer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (ABSENT.has(code)) return [];
    throw new DnsUnavailable(`the name servers of the domain did not answer (${code})`);
  }
};
