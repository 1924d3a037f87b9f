import { Injectable } from '@nestjs/common';
import { workspaceRole } from '@postern/contracts';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { likeText } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import type { Account, AccountDirectory, AccountMails, AccountPage } from './ports.js';
import type { UserEvent } from './user.js';
import { INSERT_MEMBERSHIP, INSERT_USER } from './users.sql.js';

/** The events that change the read model of users. */
export const USER_EVENT_TYPES = [
  'platform-management.user-registered.v1',
  'platform-management.user-joined-workspace.v1',
] as const;

export type AppliedUserEvent = Extract<UserEvent, { type: (typeof USER_EVENT_TYPES)[number] }>;

/** Applies one event to the read model of users. */
export function applyUserEvent({ type, data }: AppliedUserEvent, tx: ProjectionTransaction): Promise<unknown> {
  switch (type) {
    case 'platform-management.user-registered.v1':
      return tx.query(INSERT_USER(tx), [data.user_id, data.email, data.operator, data.at]);
    case 'platform-management.user-joined-workspace.v1':
      return tx.query(INSERT_MEMBERSHIP(tx), [data.user_id, data.workspace_id, data.at]);
  }
}

/** The read model of users and their workspaces. */
@Injectable()
export class Users implements AccountDirectory {
  constructor(private readonly prisma: PrismaClient) {}

  async find(userId: string): Promise<Account | undefined> {
    const user = await this.prisma.user.findUnique({ where: { id: userId } });
    return user ? (await this.#withWorkspaces([user]))[0] : undefined;
  }

  async addressOf(userId: string): Promise<string | undefined> {
    return (await this.prisma.credential.findUnique({ where: { userId }, select: { email: true } }))?.email;
  }

  async mailsOf(userId: string): Promise<AccountMails> {
    const select = { serviceMails: true, statusMails: true };
    const found = await this.prisma.credential.findUnique({ where: { userId }, select });
    return found ?? { serviceMails: false, statusMails: false };
  }

  async hasSecondFactor(userId: string): Promise<boolean> {
    const where = { userId, confirmedAt: { not: null } };
    return (await this.prisma.secondFactor.findFirst({ where, select: { userId: true } })) !== null;
  }

  async list(search: string, limit: number, offset: number): Promise<AccountPage> {
    const found = search === '' ? {} : { email: { contains: likeText(search.toLowerCase()) } };
    const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
    const [total, users] = await Promise.all([
      this.prisma.user.count({ where: found }),
      this.prisma.user.findMany({ where: found, orderBy, take: limit, skip: offset }),
    ]);
    const where = { userId: { in: users.map(({ id }) => id) }, disabledAt: { not: null } };
    const disabled = await this.prisma.credential.findMany({ where, select: { userId: true } });
    const disabledIds = new Set(disabled.map(({ userId }) => userId));
    const factors = await this.prisma.secondFactor.findMany({
      where: { userId: { in: users.map(({ id }) => id) }, confirmedAt: { not: null } },
      select: { userId: true },
    });
    const withFactor = new Set(factors.map(({ userId }) => userId));
    const accounts = await this.#withWorkspaces(users);
    return {
      total,
      accounts: accounts.map(account => ({
        ...account,
        enabled: !disabledIds.has(account.id),
        secondFactor: withFactor.has(account.id),
      })),
    };
  }

  async #withWorkspaces(users: readonly Omit<Account, 'workspaces'>[]): Promise<Account[]> {
    const memberships = await this.prisma.membership.findMany({
      where: { userId: { in: users.map(({ id }) => id) } },
      orderBy: [{ joinedAt: 'asc' }, { workspaceId: 'asc' }],
    });
    const ids = memberships.map(({ workspaceId }) => workspaceId);
    const workspaces = await this.prisma.workspace.findMany({ where: { id: { in: ids } } });
    const byId = new Map(workspaces.map(workspace => [workspace.id, workspace]));
    return users.map(user => ({
      ...user,
      workspaces: memberships
        .filter(({ userId }) => userId === user.id)
        .flatMap(({ workspaceId, role }) => {
          const workspace = byId.get(workspaceId);
          return workspace ? [{ ...workspace, role: workspaceRole.parse(role) }] : [];
        }),
    }));
  }
}
