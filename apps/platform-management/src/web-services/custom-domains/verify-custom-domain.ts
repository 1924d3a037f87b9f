import { Refusal, type ReplyOf, type RequestOf, verifyCustomDomain } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { customDomainNotFound, customDomainReply } from './custom-domain-reply.js';
import { CustomDomains, DnsUnavailable, type DomainRow } from './custom-domains.js';
import { DomainDns } from './domain-dns.js';
import { type Proof, proofOf } from './domain-proof.js';
import { DomainRoutes } from './domain-routes.js';
import { DomainTarget } from './domain-target.js';

/** Verifies a domain by its DNS records. A verified domain stays verified if a check finds no record. */
@Handles(verifyCustomDomain)
export class VerifyCustomDomain {
  constructor(
    private readonly webServices: WebServices,
    private readonly domains: CustomDomains,
    private readonly dns: DomainDns,
    private readonly targets: DomainTarget,
    private readonly routes: DomainRoutes,
  ) {}

  async execute(request: RequestOf<typeof verifyCustomDomain>): Promise<ReplyOf<typeof verifyCustomDomain>> {
    const service = await this.webServices.require(request.web_service_id, request);
    const row = await this.domains.find(service.id, request.domain_id);
    if (!row) throw customDomainNotFound();
    const target = await this.targets.of(service);
    const { proven, message } = await this.#proofOf(row, target);
    if (!proven) await this.domains.note(row.id, message);
    else {
      if (!(await this.domains.verify(row.id, message, await this.#formerHolderOf(row)))) throw domainTaken(row);
      if (!row.verifiedAt) await this.routes.send();
    }
    return customDomainReply((await this.domains.find(service.id, row.id)) ?? row, target);
  }

  /** The other row that holds the domain and can no longer prove it. @throws the refusal `domain_taken`. */
  async #formerHolderOf(row: DomainRow): Promise<string | undefined> {
    const holder = await this.domains.holderOf(row.domain);
    if (!holder || holder.id === row.id) return undefined;
    const service = await this.webServices.require(holder.webServiceId);
    const { proven } = await this.#proofOf(holder, await this.targets.of(service));
    if (proven) throw domainTaken(row);
    return holder.id;
  }

  async #proofOf(row: DomainRow, target: string): Promise<Proof> {
    try {
      return await proofOf(row, target, this.dns);
    } catch (error) {
      if (error instanceof DnsUnavailable) throw new Refusal('dns_unavailable', `${row.domain}: ${error.message}`);
      throw error;
    }
  }
}

const domainTaken = ({ domain }: DomainRow): Refusal =>
  new Refusal('domain_taken', `${domain} serves another web service; delete it there, or remove its records first`);
