import { type ReplyOf, type RequestOf, removeTrackingHost } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedSendingDomain } from './owned-sending-domain.js';
import { SendingDomainRepository } from './sending-domain-repository.js';
import { SendingDomains } from './sending-domains.projection.js';

/** Removes the tracking host of a domain. Links in messages that were sent before keep working at every host that leads here. */
@Handles(removeTrackingHost)
export class RemoveTrackingHost {
  constructor(
    private readonly streams: Streams,
    private readonly repository: SendingDomainRepository,
    private readonly domains: SendingDomains,
  ) {}

  async execute(request: RequestOf<typeof removeTrackingHost>): Promise<ReplyOf<typeof removeTrackingHost>> {
    await ownedSendingDomain(this.streams, request);
    await this.repository.setTrackingHost(request.domain_id, null, new Date());
    return this.domains.get(request);
  }
}
