import { Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { DELETE_EXPIRED_SESSIONS, FIND_SESSION, OPEN_SESSION } from './accounts.sql.js';
import type { NewSession, Sessions, SessionUser } from './ports.js';

/** Stores sessions as rows without events, because their history is not needed. */
@Injectable()
export class PostgresSessions implements Sessions {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  async open({ tokenHash, userId, workspaceId, passwordHash, expiresAt }: NewSession): Promise<boolean> {
    const values = [tokenHash, userId, workspaceId, expiresAt, passwordHash];
    const { rowCount } = await this.database.pool.query(OPEN_SESSION, values);
    return rowCount === 1;
  }

  async find(tokenHash: string): Promise<SessionUser | undefined> {
    const query = { name: 'find-session', text: FIND_SESSION, values: [tokenHash] };
    const { rows } = await this.database.pool.query<SessionUser>(query);
    return rows[0];
  }

  async switchWorkspace(tokenHash: string, workspaceId: string): Promise<void> {
    await this.prisma.session.updateMany({ where: { tokenHash }, data: { workspaceId } });
  }

  async end(tokenHash: string): Promise<void> {
    await this.prisma.session.deleteMany({ where: { tokenHash } });
  }

  async deleteExpired(): Promise<void> {
    await inSteps(this.database.pool, DELETE_EXPIRED_SESSIONS, []);
  }
}
