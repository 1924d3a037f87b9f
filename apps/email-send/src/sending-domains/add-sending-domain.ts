import { Inject } from '@nestjs/common';
import { addSendingDomain, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import { v5 as uuidv5 } from 'uuid';
import type { EmailSendConfig } from '../config.js';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { normalizeDomain } from './domain-name.js';
import { requireRegistrable } from './public-suffix.js';
import { SendingDomainRepository } from './sending-domain-repository.js';
import { SendingDomains } from './sending-domains.projection.js';

/** Adds a domain with its own DKIM key. Its records are checked from now on. */
@Handles(addSendingDomain)
export class AddSendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly repository: SendingDomainRepository,
    private readonly domains: SendingDomains,
    @Inject(CONFIG) private readonly config: EmailSendConfig,
  ) {}

  async execute(request: RequestOf<typeof addSendingDomain>): Promise<ReplyOf<typeof addSendingDomain>> {
    const { service_id: serviceId } = request;
    await ownedEmailService(this.streams, request);
    const domain = normalizeDomain(request.domain);
    requireRegistrable(domain, this.config.privateDomainSuffixes);
    // One stream per service and domain: the event store prevents adding a domain twice.
    const domainId = uuidv5(domain, serviceId);
    await this.repository.add({ serviceId, domainId, domain }, new Date());
    return this.domains.get({ ...request, domain_id: domainId });
  }
}
