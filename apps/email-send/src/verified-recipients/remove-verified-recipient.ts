import { type ReplyOf, type RequestOf, removeVerifiedRecipient } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedVerifiedRecipient } from './owned-verified-recipient.js';
import { verifiedRecipient, verifiedRecipientStream } from './verified-recipient.js';

/** Removes a recipient. When this returns, the address receives no more sandbox mail of the service. */
@Handles(removeVerifiedRecipient)
export class RemoveVerifiedRecipient {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof removeVerifiedRecipient>): Promise<ReplyOf<typeof removeVerifiedRecipient>> {
    await ownedVerifiedRecipient(this.streams, request);
    await this.streams.execute(verifiedRecipient, verifiedRecipientStream(request.recipient_id), {
      kind: 'remove',
      at: new Date().toISOString(),
    });
    return {};
  }
}
