import { Injectable } from '@nestjs/common';
import type { RequestOf, removeSendingDomain } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { sendingDomain, sendingDomainStream } from '../domain/sending-domain.js';
import { DkimKeys, DomainChecks } from '../ports.js';
import { ownedSendingDomain } from './owned-sending-domain.js';

/**
 * Nothing is signed for the domain any more once this answers. A service that loses its last domain stays in
 * production, where everything it sends goes through the sandbox sender.
 */
@Injectable()
export class RemoveSendingDomain {
  constructor(
    private readonly streams: Streams,
    private readonly keys: DkimKeys,
    private readonly checks: DomainChecks,
  ) {}

  async execute(request: RequestOf<typeof removeSendingDomain>): Promise<void> {
    await ownedSendingDomain(this.streams, request);
    const events = await this.streams.execute(sendingDomain, sendingDomainStream(request.domain_id), {
      kind: 'remove',
      at: new Date().toISOString(),
    });
    for (const event of events) {
      if (event.type === 'email-send.sending-domain-removed.v1') await this.keys.destroy(event.data.key_ids);
    }
    await this.checks.forget(request.domain_id);
  }
}
