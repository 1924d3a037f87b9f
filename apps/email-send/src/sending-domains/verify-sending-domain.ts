import { type ReplyOf, type RequestOf, verifySendingDomain } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { CheckSendingDomain } from './check-sending-domain.js';
import { ownedSendingDomain } from './owned-sending-domain.js';
import { SendingDomains } from './sending-domains.projection.js';

/** Checks the records of a domain now, at the owner's request. */
@Handles(verifySendingDomain)
export class VerifySendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly check: CheckSendingDomain,
    private readonly domains: SendingDomains,
  ) {}

  async execute(request: RequestOf<typeof verifySendingDomain>): Promise<ReplyOf<typeof verifySendingDomain>> {
    await ownedSendingDomain(this.streams, request);
    await this.check.execute(request);
    return this.domains.get(request);
  }
}
