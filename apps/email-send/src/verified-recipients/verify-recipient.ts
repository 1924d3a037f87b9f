import { Refusal, type ReplyOf, type RequestOf, verifyRecipient } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedVerifiedRecipient } from './owned-verified-recipient.js';
import { VerificationCodes } from './verification-codes.js';
import { verifiedRecipient, verifiedRecipientStream } from './verified-recipient.js';
import { VerifiedRecipients } from './verified-recipients.projection.js';

/** Verifies a recipient by its code. A wrong code is counted before it is refused, over all replicas. */
@Handles(verifyRecipient)
export class VerifyRecipient {
  constructor(
    private readonly streams: Streams,
    private readonly codes: VerificationCodes,
    private readonly recipients: VerifiedRecipients,
  ) {}

  async execute(request: RequestOf<typeof verifyRecipient>): Promise<ReplyOf<typeof verifyRecipient>> {
    const { recipient_id: recipientId, code } = request;
    await ownedVerifiedRecipient(this.streams, request);
    const events = await this.streams.execute(verifiedRecipient, verifiedRecipientStream(recipientId), {
      kind: 'enter-code',
      codeHashes: this.codes.hashesOf(recipientId, code),
      at: new Date().toISOString(),
    });
    if (events.some(event => event.type === 'email-send.recipient-code-mismatched.v1')) {
      throw new Refusal('code_wrong', 'the code is incorrect; use the one in the most recent email');
    }
    return this.recipients.get(request);
  }
}
