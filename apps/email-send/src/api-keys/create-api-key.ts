import { createHash, randomInt } from 'node:crypto';
import { createApiKey, limitOf, quotaReached, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { ownedEmailService } from '../email-services/owned-email-service.js';
import { apiKey, apiKeyStream, keyPrefixOf, newApiKey } from './api-key.js';
import { ApiKeys } from './api-keys.projection.js';

/** Creates a key, which is valid at once in every replica. Only its hash and its prefix are stored. */
@Handles(createApiKey)
export class CreateApiKey {
  constructor(
    private readonly streams: Streams,
    private readonly transactions: CommandTransactions,
    private readonly keys: ApiKeys,
  ) {}

  async execute(request: RequestOf<typeof createApiKey>): Promise<ReplyOf<typeof createApiKey>> {
    await ownedEmailService(this.streams, request);
    const id = uuidv7();
    const key = newApiKey(limit => randomInt(limit));
    const limit = limitOf('api_keys', request.workspace_quotas);
    const quota = {
      lock: `api-keys-of-${request.service_id}`,
      check: async () => {
        if ((await this.keys.countOf(request.service_id)) >= limit) throw quotaReached('api_keys', limit);
      },
    };
    await this.transactions.execute({
      decider: apiKey,
      streamId: apiKeyStream(id),
      limit: quota,
      command: {
        kind: 'create',
        keyId: id,
        serviceId: request.service_id,
        name: request.name,
        keyHash: createHash('sha256').update(key).digest('hex'),
        keyPrefix: keyPrefixOf(key),
        at: new Date().toISOString(),
      },
    });
    return { id, name: request.name, key, key_prefix: keyPrefixOf(key) };
  }
}
