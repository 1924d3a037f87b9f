import { Inject, Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { CONFIG, Database } from '@postern/service-host';
import type { PlatformManagementConfig } from '../config.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { DELETE_EXPIRED_SESSIONS, FIND_SESSION, OPEN_SESSION, SAVE_SESSION_USE } from './accounts.sql.js';
import type { NewSession, SessionRow, Sessions, SessionUser } from './ports.js';

/** Stores sessions as rows without events, because their history is not needed. */
@Injectable()
export class PostgresSessions implements Sessions {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'sessionIdleMinutes'>,
  ) {}

  async open(session: NewSession): Promise<boolean> {
    const { tokenHash, userId, workspaceId, passwordHash, expiresAt, clientAddress, userAgent } = session;
    const values = [tokenHash, userId, workspaceId, expiresAt, passwordHash, clientAddress, userAgent ?? null];
    const { rowCount } = await this.database.pool.query(OPEN_SESSION, values);
    return rowCount === 1;
  }

  async find(tokenHash: string): Promise<SessionUser | undefined> {
    const query = { name: 'find-session', text: FIND_SESSION, values: [tokenHash, this.config.sessionIdleMinutes] };
    const { rows } = await this.database.pool.query<SessionUser & { readonly useIsOld: boolean }>(query);
    const [session] = rows;
    if (session?.useIsOld) await this.database.pool.query(SAVE_SESSION_USE, [tokenHash]);
    return session;
  }

  async switchWorkspace(tokenHash: string, workspaceId: string): Promise<void> {
    await this.prisma.session.updateMany({ where: { tokenHash }, data: { workspaceId } });
  }

  async end(tokenHash: string): Promise<void> {
    await this.prisma.session.deleteMany({ where: { tokenHash } });
  }

  listOf(userId: string): Promise<SessionRow[]> {
    const now = Date.now();
    const usedAfter = new Date(now - this.config.sessionIdleMinutes * 60_000);
    return this.prisma.session.findMany({
      where: { userId, expiresAt: { gt: new Date(now) }, lastUsedAt: { gt: usedAfter } },
      orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
    });
  }

  async endOne(userId: string, id: string): Promise<boolean> {
    return (await this.prisma.session.deleteMany({ where: { userId, id } })).count > 0;
  }

  async endAll(userId: string): Promise<number> {
    return (await this.prisma.session.deleteMany({ where: { userId } })).count;
  }

  async deleteExpired(): Promise<void> {
    await inSteps(this.database.pool, DELETE_EXPIRED_SESSIONS, [this.config.sessionIdleMinutes]);
  }
}
