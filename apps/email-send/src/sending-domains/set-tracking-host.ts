import { Inject } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, setTrackingHost } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { normalizeDomain } from './domain-name.js';
import { ownedSendingDomain } from './owned-sending-domain.js';
import { SendingDomainRepository } from './sending-domain-repository.js';
import { SendingDomains } from './sending-domains.projection.js';
import { trackingTargetOf } from './tracking-target.js';

/** Sets the host of links and pixels of a domain. The check of its record is due at once. */
@Handles(setTrackingHost)
export class SetTrackingHost {
  constructor(
    private readonly streams: Streams,
    private readonly repository: SendingDomainRepository,
    private readonly domains: SendingDomains,
    @Inject(CONFIG) private readonly config: EmailSendConfig,
  ) {}

  async execute(request: RequestOf<typeof setTrackingHost>): Promise<ReplyOf<typeof setTrackingHost>> {
    await ownedSendingDomain(this.streams, request);
    if (trackingTargetOf(this.config) === undefined) {
      throw new Refusal(
        'invalid_input',
        'host: this installation has no host name to point to; its operator can set POSTERN_TRACKING_HOST',
      );
    }
    await this.repository.setTrackingHost(request.domain_id, normalizeDomain(request.host, 'host'), new Date());
    return this.domains.get(request);
  }
}
