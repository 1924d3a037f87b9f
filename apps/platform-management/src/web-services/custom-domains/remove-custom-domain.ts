import { type ReplyOf, type RequestOf, removeCustomDomain } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServices } from '../services/web-services.projection.js';
import { customDomainNotFound } from './custom-domain-reply.js';
import { CustomDomains } from './custom-domains.js';
import { DomainRoutes } from './domain-routes.js';

/** Deletes a domain of a web service and its route. */
@Handles(removeCustomDomain)
export class RemoveCustomDomain {
  constructor(
    private readonly webServices: WebServices,
    private readonly domains: CustomDomains,
    private readonly routes: DomainRoutes,
  ) {}

  async execute(request: RequestOf<typeof removeCustomDomain>): Promise<ReplyOf<typeof removeCustomDomain>> {
    const service = await this.webServices.require(request.web_service_id, request);
    if (!(await this.domains.remove(service.id, request.domain_id))) throw customDomainNotFound();
    await this.routes.send();
    return { id: request.domain_id, deleted: true };
  }
}
