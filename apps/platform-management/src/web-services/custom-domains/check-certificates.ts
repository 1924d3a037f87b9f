import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every } from '@postern/service-host';
import pLimit from 'p-limit';
import { CustomDomains } from './custom-domains.js';
import { servedCertificate } from './served-certificate.js';

interface Settings {
  readonly platformTlsProxy?: string | undefined;
}

const AT_ONCE = 5;

/** Checks the certificates of verified custom domains each hour, and that of a domain soon after its verification. */
@Injectable()
export class CheckCertificates {
  readonly #atOnce = pLimit(AT_ONCE);

  constructor(
    @Inject(CONFIG) private readonly settings: Settings,
    private readonly domains: CustomDomains,
  ) {}

  @Every(60_000, 'check certificates of custom domains', { onOneReplica: true })
  async run(): Promise<void> {
    const { platformTlsProxy: proxy } = this.settings;
    if (proxy === undefined) return;
    const due = await this.domains.withCertificateDue();
    await Promise.all(due.map(row => this.#atOnce(() => this.#check(proxy, row))));
  }

  async #check(proxy: string, { id, domain }: { readonly id: string; readonly domain: string }): Promise<void> {
    try {
      await this.domains.noteCertificate(id, await servedCertificate(proxy, domain));
    } catch (error) {
      await this.domains.noteCertificate(id, { error: error instanceof Error ? error.message : String(error) });
    }
  }
}
