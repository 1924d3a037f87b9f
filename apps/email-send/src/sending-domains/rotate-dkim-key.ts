import { type ReplyOf, type RequestOf, rotateDkimKey } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedSendingDomain } from './owned-sending-domain.js';
import { SendingDomainRepository } from './sending-domain-repository.js';
import { SendingDomains } from './sending-domains.projection.js';

/** Adds a second key. The first key signs until a check finds the record of the second. */
@Handles(rotateDkimKey)
export class RotateDkimKey {
  constructor(
    private readonly streams: Streams,
    private readonly repository: SendingDomainRepository,
    private readonly domains: SendingDomains,
  ) {}

  async execute(request: RequestOf<typeof rotateDkimKey>): Promise<ReplyOf<typeof rotateDkimKey>> {
    await ownedSendingDomain(this.streams, request);
    await this.repository.rotateKey(request.domain_id, new Date());
    return this.domains.get(request);
  }
}
