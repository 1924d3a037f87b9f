import { Injectable } from '@nestjs/common';
import { Refusal, type RequestOf, type verifyRecipient } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { verifiedRecipient, verifiedRecipientStream } from '../domain/verified-recipient.js';
import { RecipientCodes } from '../ports.js';
import { ownedVerifiedRecipient } from './owned-verified-recipient.js';

/** Somebody enters the code. A wrong one is counted before it is refused, whichever replica it reaches. */
@Injectable()
export class VerifyRecipient {
  constructor(
    private readonly streams: Streams,
    private readonly codes: RecipientCodes,
  ) {}

  async execute(request: RequestOf<typeof verifyRecipient>): Promise<void> {
    const { recipient_id: recipientId, code } = request;
    await ownedVerifiedRecipient(this.streams, request);
    const events = await this.streams.execute(verifiedRecipient, verifiedRecipientStream(recipientId), {
      kind: 'enter-code',
      codeHashes: this.codes.hashesOf(recipientId, code),
      at: new Date().toISOString(),
    });
    if (events.some(event => event.type === 'email-send.recipient-code-mismatched.v1')) {
      throw new Refusal('code_wrong', 'the code is not the one that was sent last');
    }
  }
}
