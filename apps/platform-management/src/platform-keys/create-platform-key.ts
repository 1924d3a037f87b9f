import { createHash, randomInt } from 'node:crypto';
import { createPlatformKey, type ReplyOf, type RequestOf } from '@postern/contracts';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { ProjectOwners } from '../projects/ports.js';
import { keyPrefixOf, newPlatformKey, platformKey, platformKeyStream } from './platform-key.js';

/** Creates a key and returns it; only its hash and prefix are stored. All replicas accept it immediately. */
@Handles(createPlatformKey)
export class CreatePlatformKey {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly usage: WorkspaceUsage,
    private readonly owners: ProjectOwners,
  ) {}

  async execute(request: RequestOf<typeof createPlatformKey>): Promise<ReplyOf<typeof createPlatformKey>> {
    const id = uuidv7();
    const key = newPlatformKey(limit => randomInt(limit));
    const { name, scope, expires_at, projects, operations } = request;
    for (const project of projects ?? []) await this.owners.requireOwner(request, project);
    const limit = this.usage.limitOf(request.workspace_id, { platform_keys: 1 });
    await this.transactions.execute({
      decider: platformKey,
      streamId: platformKeyStream(id),
      limit,
      command: {
        kind: 'create',
        keyId: id,
        userId: request.user_id,
        workspaceId: request.workspace_id,
        name,
        keyHash: createHash('sha256').update(key).digest('hex'),
        keyPrefix: keyPrefixOf(key),
        scope,
        expiresAt: expires_at,
        projects,
        operations,
        at: new Date().toISOString(),
      },
    });
    const expiry = expires_at === undefined ? null : new Date(expires_at).toISOString();
    const restrictions = { projects: projects ?? null, operations: operations ?? null };
    return { id, name, key_prefix: keyPrefixOf(key), scope, expiry, ...restrictions, key };
  }
}
