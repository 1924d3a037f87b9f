import { createHash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { createApiKey, ReplyOf, RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v7 as uuidv7 } from 'uuid';
import { apiKey, apiKeyStream, keyPrefixOf, newApiKey } from '../domain/api-key.js';

import { ownedEmailService } from './owned-email-service.js';

/** Makes a key and answers it; nothing of it but hash and prefix stays behind. It works at once, in every replica. */
@Injectable()
export class CreateApiKey {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof createApiKey>): Promise<ReplyOf<typeof createApiKey>> {
    await ownedEmailService(this.streams, request);
    const id = uuidv7();
    const key = newApiKey(limit => randomInt(limit));
    await this.streams.execute(apiKey, apiKeyStream(id), {
      kind: 'create',
      keyId: id,
      serviceId: request.service_id,
      name: request.name,
      keyHash: createHash('sha256').update(key).digest('hex'),
      keyPrefix: keyPrefixOf(key),
      at: new Date().toISOString(),
    });
    return { id, name: request.name, key, key_prefix: keyPrefixOf(key) };
  }
}
