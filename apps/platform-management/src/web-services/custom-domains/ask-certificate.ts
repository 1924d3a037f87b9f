import { askCertificate, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CustomDomains } from './custom-domains.js';

/** Returns whether a TLS proxy may request a certificate for a domain: only if the domain is verified. */
@Handles(askCertificate)
export class AskCertificate {
  constructor(private readonly domains: CustomDomains) {}

  async execute({ domain }: RequestOf<typeof askCertificate>): Promise<ReplyOf<typeof askCertificate>> {
    return { verified: (await this.domains.holderOf(domain.toLowerCase().replace(/\.$/, ''))) !== undefined };
  }
}
