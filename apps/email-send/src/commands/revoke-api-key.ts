import { Injectable } from '@nestjs/common';
import type { RequestOf, revokeApiKey } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { apiKey, apiKeyStream } from '../domain/api-key.js';

import { ownedEmailService } from './owned-email-service.js';

/** Once this answers, no replica takes the key any more. */
@Injectable()
export class RevokeApiKey {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof revokeApiKey>): Promise<void> {
    await ownedEmailService(this.streams, request);
    await this.streams.execute(apiKey, apiKeyStream(request.key_id), {
      kind: 'revoke',
      serviceId: request.service_id,
      at: new Date().toISOString(),
    });
  }
}
