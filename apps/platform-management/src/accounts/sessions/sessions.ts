import { Inject, Injectable } from '@nestjs/common';
import type { QuotaOverrides, WorkspaceRole } from '@postern/contracts';
import { CONFIG, Database } from '@postern/service-host';
import type { PlatformManagementConfig } from '../../config.js';
import { PrismaClient } from '../../generated/prisma/client.js';
import { FIND_SESSION, SAVE_SESSION_USE } from './sessions.sql.js';

export interface Session {
  readonly userId: string;
  readonly workspaceId: string;
}

export interface SessionUser extends Session {
  /** The quotas that an operator has set for the workspace. */
  readonly quotas: QuotaOverrides;
  readonly email: string;
  readonly operator: boolean;
  readonly role: WorkspaceRole;
  readonly hasSecondFactor: boolean;
}

/** A session in the list of its user. */
export interface SessionRow {
  readonly id: string;
  readonly tokenHash: string;
  readonly createdAt: Date;
  /** May be up to one minute old. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly clientAddress: string;
  readonly userAgent: string | null;
}

/** Stores sessions as rows without events, because their history is not needed. */
@Injectable()
export class Sessions {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'sessionIdleMinutes'>,
  ) {}

  /** A single query, because every dashboard request calls it. */
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

  /** Most recently used first. */
  listOf(userId: string): Promise<SessionRow[]> {
    const now = Date.now();
    const usedAfter = new Date(now - this.config.sessionIdleMinutes * 60_000);
    return this.prisma.session.findMany({
      where: { userId, expiresAt: { gt: new Date(now) }, lastUsedAt: { gt: usedAfter } },
      orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
    });
  }

  /** @returns false if the user has no such session. */
  async endOne(userId: string, id: string): Promise<boolean> {
    return (await this.prisma.session.deleteMany({ where: { userId, id } })).count > 0;
  }

  /** @returns the number of ended sessions. */
  async endAll(userId: string): Promise<number> {
    return (await this.prisma.session.deleteMany({ where: { userId } })).count;
  }
}
