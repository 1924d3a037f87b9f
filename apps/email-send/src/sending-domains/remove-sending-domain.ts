import { type ReplyOf, type RequestOf, removeSendingDomain } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedSendingDomain } from './owned-sending-domain.js';
import { SendingDomainRepository } from './sending-domain-repository.js';

/**
 * Removes a domain and deletes its keys. A service without any domain stays in production; its mail uses the sandbox
 * sender.
 */
@Handles(removeSendingDomain)
export class RemoveSendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly repository: SendingDomainRepository,
  ) {}

  async execute(request: RequestOf<typeof removeSendingDomain>): Promise<ReplyOf<typeof removeSendingDomain>> {
    await ownedSendingDomain(this.streams, request);
    await this.repository.remove(request.domain_id, new Date());
    return {};
  }
}
