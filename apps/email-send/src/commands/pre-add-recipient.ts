import { Injectable } from '@nestjs/common';
import type { preAddRecipient, RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v5 as uuidv5 } from 'uuid';
import { normalizeRecipient, verifiedRecipient, verifiedRecipientStream } from '../domain/verified-recipient.js';

import { ownedEmailService } from './owned-email-service.js';

/** Adds an address without a code, because the platform knows already whose it is. Answers its id. */
@Injectable()
export class PreAddRecipient {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof preAddRecipient>): Promise<string> {
    await ownedEmailService(this.streams, request);
    const address = normalizeRecipient(request.address);
    const recipientId = uuidv5(address, request.service_id);
    await this.streams.execute(verifiedRecipient, verifiedRecipientStream(recipientId), {
      kind: 'vouch',
      serviceId: request.service_id,
      recipientId,
      address,
      at: new Date().toISOString(),
    });
    return recipientId;
  }
}
