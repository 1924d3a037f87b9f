import { Injectable } from '@nestjs/common';
import { listPlatformKeys, type PlatformOperation, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { PrismaClient } from '../generated/prisma/client.js';
import type { PlatformKeyEvent } from './platform-key.js';
import { DELETE_KEY, DELETE_KEYS_OF, INSERT_KEY } from './platform-keys.sql.js';

/** Deletes the keys of a workspace from the read model. */
export const deleteKeysOf = (workspaceId: string, tx: ProjectionTransaction): Promise<unknown> =>
  tx.query(DELETE_KEYS_OF(tx), [workspaceId]);

/** Applies one event to the read model of platform keys. */
export function applyPlatformKeyEvent(event: PlatformKeyEvent, tx: ProjectionTransaction): Promise<unknown> {
  switch (event.type) {
    case 'platform-management.platform-key-created.v1': {
      const { key_id, user_id, workspace_id, name, key_hash, key_prefix, scope, expires_at, at } = event.data;
      const { projects = null, operations = null } = event.data;
      return tx.query(INSERT_KEY(tx), [
        key_id,
        user_id,
        workspace_id,
        name,
        key_hash,
        key_prefix,
        scope,
        expires_at,
        at,
        projects,
        operations,
      ]);
    }
    case 'platform-management.platform-key-revoked.v1':
      return tx.query(DELETE_KEY(tx), [event.data.key_id]);
  }
}

/** The read model of platform keys that are not revoked. */
@Injectable()
export class PlatformKeys {
  constructor(private readonly prisma: PrismaClient) {}

  /** Lists keys, oldest first. `last_used_at` may be 30 seconds late. */
  @Handles(listPlatformKeys)
  async list({
    workspace_id: workspaceId,
  }: RequestOf<typeof listPlatformKeys>): Promise<ReplyOf<typeof listPlatformKeys>> {
    const keys = await this.prisma.platformKey.findMany({
      where: { workspaceId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    const uses = await this.prisma.platformKeyUse.findMany({ where: { keyId: { in: keys.map(({ id }) => id) } } });
    const usedAt = new Map(uses.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
    return keys.map(key => ({
      id: key.id,
      name: key.name,
      key_prefix: key.keyPrefix,
      scope: key.scope === 'write' ? 'write' : 'read',
      expiry: key.expiresAt?.toISOString() ?? null,
      ...restrictionsOf(key),
      created_at: key.createdAt.toISOString(),
      last_used_at: usedAt.get(key.id)?.toISOString() ?? null,
    }));
  }
}

/** Prisma reads a null array as an empty one; a restriction is never empty. */
const restrictionsOf = ({ projects, operations }: { readonly projects: string[]; readonly operations: string[] }) => ({
  projects: projects.length > 0 ? projects : null,
  operations: operations.length > 0 ? (operations as PlatformOperation[]) : null,
});
