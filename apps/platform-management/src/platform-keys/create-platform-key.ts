import { createHash, randomInt } from 'node:crypto';
import { createPlatformKey, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { keyPrefixOf, newPlatformKey, platformKey, platformKeyStream } from './platform-key.js';

/** Creates a key and returns it; only its hash and prefix are stored. All replicas accept it at once. */
@Handles(createPlatformKey)
export class CreatePlatformKey {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof createPlatformKey>): Promise<ReplyOf<typeof createPlatformKey>> {
    const id = uuidv7();
    const key = newPlatformKey(limit => randomInt(limit));
    const { name, scope, expires_at } = request;
    await this.streams.execute(platformKey, platformKeyStream(id), {
      kind: 'create',
      keyId: id,
      userId: request.user_id,
      workspaceId: request.workspace_id,
      name,
      keyHash: createHash('sha256').update(key).digest('hex'),
      keyPrefix: keyPrefixOf(key),
      scope,
      expiresAt: expires_at,
      at: new Date().toISOString(),
    });
    const expiry = expires_at === undefined ? null : new Date(expires_at).toISOString();
    return { id, name, key_prefix: keyPrefixOf(key), scope, expiry, key };
  }
}
