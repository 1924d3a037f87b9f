import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';

const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/** DNS lookups for the diagnosis. They return nothing for absent records, and throw when no server answers. */
@Injectable()
export class DnsLookups {
  readonly #resolver = new Resolver({ timeout: 2_000, tries: 2 });

  constructor(@Inject(CONFIG) { dnsServers }: Pick<EmailSendConfig, 'dnsServers'>) {
    if (dnsServers.length > 0) this.#resolver.setServers([...dnsServers]);
  }

  /** @throws when no name server answers. */
  texts(name: string): Promise<string[]> {
    return orNone(async () => (await this.#resolver.resolveTxt(name)).map(strings => strings.join('')));
  }

  /** Hosts that accept mail for the domain, by preference. */
  mailHosts(domain: string): Promise<string[]> {
    return orNone(async () =>
      (await this.#resolver.resolveMx(domain))
        .toSorted((one, other) => one.priority - other.priority)
        .map(({ exchange }) => exchange),
    );
  }

  async addresses(host: string): Promise<string[]> {
    const found = await Promise.all([
      orNone(() => this.#resolver.resolve4(host)),
      orNone(() => this.#resolver.resolve6(host)).catch(() => []),
    ]);
    return found.flat();
  }
}

const orNone = async (lookup: () => Promise<string[]>): Promise<string[]> => {
  try {
    return await lookup();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (ABSENT.has(code)) return [];
    throw new Error(`no name server answered (${code})`);
  }
};
