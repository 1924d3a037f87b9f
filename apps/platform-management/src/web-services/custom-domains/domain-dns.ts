import { Inject, Injectable } from '@nestjs/common';
import { DnsUnavailable as NoServerAnswered, OutsidePublicDns, PublicDns } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import { DnsUnavailable } from './custom-domains.js';

interface Settings {
  readonly dnsServers: readonly string[];
  readonly privateDomainSuffixes: readonly string[];
}

/** Queries the configured resolvers, or those of the system. */
@Injectable()
export class DomainDns {
  readonly #dns: PublicDns;

  constructor(@Inject(CONFIG) { dnsServers, privateDomainSuffixes }: Settings) {
    this.#dns = new PublicDns({ servers: dnsServers, privateSuffixes: privateDomainSuffixes });
  }

  texts(name: string): Promise<readonly string[]> {
    return answerOf(this.#dns.texts(name));
  }

  aliases(name: string): Promise<readonly string[]> {
    return answerOf(this.#dns.aliases(name));
  }
}

/** Treats records outside the public DNS as absent: they prove nothing and must not be revealed to users. */
const answerOf = async (answer: Promise<readonly string[]>): Promise<readonly string[]> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof OutsidePublicDns) return [];
    if (!(error instanceof NoServerAnswered)) throw error;
    throw new DnsUnavailable(`the name servers of the domain did not answer: ${error.message}`);
  }
};
