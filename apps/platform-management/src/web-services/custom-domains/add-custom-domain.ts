import { Inject } from '@nestjs/common';
import { addCustomDomain, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../../projects/ports.js';
import { WebServices } from '../services/web-services.projection.js';
import { customDomainReply } from './custom-domain-reply.js';
import { CustomDomains } from './custom-domains.js';
import { domainName } from './domain-name.js';
import { DomainTarget } from './domain-target.js';

/** Adds a domain to a web service; it is pending until it is verified. */
@Handles(addCustomDomain)
export class AddCustomDomain {
  constructor(
    private readonly webServices: WebServices,
    private readonly projects: ProjectOwners,
    private readonly usage: WorkspaceUsage,
    private readonly domains: CustomDomains,
    private readonly targets: DomainTarget,
    @Inject(CONFIG) private readonly config: { readonly privateDomainSuffixes: readonly string[] },
  ) {}

  async execute(request: RequestOf<typeof addCustomDomain>): Promise<ReplyOf<typeof addCustomDomain>> {
    const service = await this.webServices.require(request.web_service_id, request);
    if (!(await this.targets.isSupported()))
      throw new Refusal('invalid_input', 'domain: this installation does not support custom domains');
    const target = await this.targets.of(service);
    const domain = domainName(request.domain, target, this.config.privateDomainSuffixes);
    const { workspaceId } = await this.projects.requireOwner(request, service.project_id);
    const row = await this.domains.add(this.usage.limitOf(workspaceId, { custom_domains: 1 }), service.id, domain);
    return customDomainReply(row, target);
  }
}
