import { preAddRecipient, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { v5 as uuidv5 } from 'uuid';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { normalizeRecipient, verifiedRecipient, verifiedRecipientStream } from './verified-recipient.js';
import { VerifiedRecipients } from './verified-recipients.projection.js';

/** Adds an address without a code, because the platform has already verified it. */
@Handles(preAddRecipient)
export class PreAddRecipient {
  constructor(
    private readonly streams: Streams,
    private readonly recipients: VerifiedRecipients,
  ) {}

  async execute(request: RequestOf<typeof preAddRecipient>): Promise<ReplyOf<typeof preAddRecipient>> {
    await ownedEmailService(this.streams, request);
    const address = normalizeRecipient(request.address);
    const recipientId = uuidv5(address, request.service_id);
    await this.streams.execute(verifiedRecipient, verifiedRecipientStream(recipientId), {
      kind: 'confirm',
      serviceId: request.service_id,
      recipientId,
      address,
      at: new Date().toISOString(),
    });
    return this.recipients.get({ ...request, recipient_id: recipientId });
  }
}
