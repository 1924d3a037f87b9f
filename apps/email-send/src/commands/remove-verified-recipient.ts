import { Injectable } from '@nestjs/common';
import type { RequestOf, removeVerifiedRecipient } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { verifiedRecipient, verifiedRecipientStream } from '../domain/verified-recipient.js';

import { ownedVerifiedRecipient } from './owned-verified-recipient.js';

/** The address gets no sandbox mail of the service any more once this answers. */
@Injectable()
export class RemoveVerifiedRecipient {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof removeVerifiedRecipient>): Promise<void> {
    await ownedVerifiedRecipient(this.streams, request);
    await this.streams.execute(verifiedRecipient, verifiedRecipientStream(request.recipient_id), {
      kind: 'remove',
      at: new Date().toISOString(),
    });
  }
}
