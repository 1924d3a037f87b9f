import { createHash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { createPlatformKey, ReplyOf, RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { ResourceStreams } from '../environment/ports.js';
import { keyPrefixOf, newPlatformKey, platformKey, platformKeyStream } from './platform-key.js';

/** Makes a key and answers it; nothing of it but hash and prefix stays behind. It works at once, in every replica. */
@Injectable()
export class CreatePlatformKey {
  constructor(private readonly streams: ResourceStreams) {}

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
