import { Injectable } from '@nestjs/common';
import type { RequestOf, revokePlatformKey } from '@postern/contracts';
import { ResourceStreams } from '../environment/ports.js';
import { platformKey, platformKeyStream } from './platform-key.js';

/** The key is refused from the next call on, in every replica. */
@Injectable()
export class RevokePlatformKey {
  constructor(private readonly streams: ResourceStreams) {}

  async execute({ key_id, user_id, workspace_id }: RequestOf<typeof revokePlatformKey>): Promise<void> {
    await this.streams.execute(platformKey, platformKeyStream(key_id), {
      kind: 'revoke',
      userId: user_id,
      workspaceId: workspace_id,
      at: new Date().toISOString(),
    });
  }
}
