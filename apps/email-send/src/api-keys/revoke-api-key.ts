import { type ReplyOf, type RequestOf, revokeApiKey } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { apiKey, apiKeyStream } from './api-key.js';

/** Revokes a key. When this returns, every replica rejects the key. */
@Handles(revokeApiKey)
export class RevokeApiKey {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof revokeApiKey>): Promise<ReplyOf<typeof revokeApiKey>> {
    await ownedEmailService(this.streams, request);
    await this.streams.execute(apiKey, apiKeyStream(request.key_id), {
      kind: 'revoke',
      serviceId: request.service_id,
      at: new Date().toISOString(),
    });
    return {};
  }
}
