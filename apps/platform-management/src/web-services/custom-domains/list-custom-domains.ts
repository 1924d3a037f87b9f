import { listCustomDomains, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { customDomainReply } from './custom-domain-reply.js';
import { CustomDomains } from './custom-domains.js';
import { DomainTarget } from './domain-target.js';

/** Lists the domains of a web service. */
@Handles(listCustomDomains)
export class ListCustomDomains {
  constructor(
    private readonly webServices: WebServices,
    private readonly domains: CustomDomains,
    private readonly targets: DomainTarget,
  ) {}

  async execute(request: RequestOf<typeof listCustomDomains>): Promise<ReplyOf<typeof listCustomDomains>> {
    const service = await this.webServices.require(request.web_service_id, request);
    const rows = await this.domains.of(service.id);
    if (rows.length === 0) return [];
    const target = await this.targets.of(service);
    return rows.map(row => customDomainReply(row, target));
  }
}
