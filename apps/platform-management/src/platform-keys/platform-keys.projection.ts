import { Injectable } from '@nestjs/common';
import type { listPlatformKeys, ReplyOf, RequestOf } from '@postern/contracts';
import { PrismaClient } from '../generated/prisma/client.js';

/** Platform keys as the dashboard shows them. */
@Injectable()
export class PlatformKeys {
  constructor(private readonly prisma: PrismaClient) {}

  /** The time of the last use may be half a minute behind. */
  async list({
    user_id: userId,
    workspace_id: workspaceId,
  }: RequestOf<typeof listPlatformKeys>): Promise<ReplyOf<typeof listPlatformKeys>> {
    const keys = await this.prisma.platformKey.findMany({
      where: { userId, workspaceId },
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
      created_at: key.createdAt.toISOString(),
      last_used_at: usedAt.get(key.id)?.toISOString() ?? null,
    }));
  }
}
