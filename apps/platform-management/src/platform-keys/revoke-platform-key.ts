import { type ReplyOf, type RequestOf, revokePlatformKey } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
import { platformKey, platformKeyStream } from './platform-key.js';

/** Revokes a key; all replicas refuse it from the next call. */
@Handles(revokePlatformKey)
export class RevokePlatformKey {
  constructor(private readonly streams: Streams) {}

  async execute({
    key_id,
    workspace_id,
  }: RequestOf<typeof revokePlatformKey>): Promise<ReplyOf<typeof revokePlatformKey>> {
    await this.streams.execute(platformKey, platformKeyStream(key_id), {
      kind: 'revoke',
      workspaceId: workspace_id,
      at: new Date().toISOString(),
    });
    return {};
  }
}
