import { Injectable } from '@nestjs/common';
import { type WorkspaceRole, workspaceRole } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { PrismaClient } from '../generated/prisma/client.js';
import {
  DELETE_MEMBER,
  DELETE_MEMBERS_OF,
  DELETE_WORKSPACE,
  INSERT_MEMBER,
  INSERT_MEMBERSHIP,
  INSERT_USER,
  INSERT_WORKSPACE,
  RENAME_WORKSPACE,
  UPDATE_MEMBER_ROLE,
} from './accounts.sql.js';
import type {
  Account,
  AccountDirectory,
  AccountPage,
  InvitationRow,
  MemberDirectory,
  MemberRow,
  WorkspaceRow,
} from './ports.js';
import type { UserEvent } from './user.js';
import type { WorkspaceCreated, WorkspaceDeleted, WorkspaceRenamed } from './workspace.js';
import type { MemberEvent } from './workspace-members.js';

type AccountEvent = UserEvent | WorkspaceCreated | WorkspaceRenamed | WorkspaceDeleted | MemberEvent;

const apply = async (event: AccountEvent, tx: ProjectionTransaction): Promise<unknown> => {
  switch (event.type) {
    case 'platform-management.user-registered.v1': {
      const { user_id, email, operator, at } = event.data;
      return tx.query(INSERT_USER(tx), [user_id, email, operator, at]);
    }
    case 'platform-management.user-joined-workspace.v1': {
      const { user_id, workspace_id, at } = event.data;
      return tx.query(INSERT_MEMBERSHIP(tx), [user_id, workspace_id, at]);
    }
    case 'platform-management.workspace-created.v1': {
      const { workspace_id, name, at } = event.data;
      return tx.query(INSERT_WORKSPACE(tx), [workspace_id, name, at]);
    }
    case 'platform-management.workspace-renamed.v1':
      return tx.query(RENAME_WORKSPACE(tx), [event.data.workspace_id, event.data.name]);
    case 'platform-management.workspace-deleted.v1':
      await tx.query(DELETE_MEMBERS_OF(tx), [event.data.workspace_id]);
      return tx.query(DELETE_WORKSPACE(tx), [event.data.workspace_id]);
    case 'platform-management.member-added.v1': {
      const { user_id, workspace_id, role, at } = event.data;
      return tx.query(INSERT_MEMBER(tx), [user_id, workspace_id, role, at]);
    }
    case 'platform-management.member-role-changed.v1': {
      const { user_id, workspace_id, role } = event.data;
      return tx.query(UPDATE_MEMBER_ROLE(tx), [user_id, workspace_id, role]);
    }
    case 'platform-management.member-removed.v1':
      return tx.query(DELETE_MEMBER(tx), [event.data.user_id, event.data.workspace_id]);
    default:
      return undefined;
  }
};

/** Users, workspaces, and memberships with their roles. */
export const accounts: Projection = {
  name: 'accounts',
  version: 4,
  tables: ['users', 'workspaces', 'memberships'],
  eventTypes: [
    'platform-management.user-registered.v1',
    'platform-management.user-joined-workspace.v1',
    'platform-management.workspace-created.v1',
    'platform-management.workspace-renamed.v1',
    'platform-management.workspace-deleted.v1',
    'platform-management.member-added.v1',
    'platform-management.member-role-changed.v1',
    'platform-management.member-removed.v1',
  ],
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent & AccountEvent, tx);
  },
};

/** The read model of users and their workspaces. */
@Injectable()
export class Accounts implements AccountDirectory, MemberDirectory {
  constructor(private readonly prisma: PrismaClient) {}

  async find(userId: string): Promise<Account | undefined> {
    const user = await this.prisma.user.findUnique({ where: { id: userId } });
    return user ? (await this.#withWorkspaces([user]))[0] : undefined;
  }

  async addressOf(userId: string): Promise<string | undefined> {
    return (await this.prisma.credential.findUnique({ where: { userId }, select: { email: true } }))?.email;
  }

  async getsServiceMails(userId: string): Promise<boolean> {
    const select = { serviceMails: true };
    return (await this.prisma.credential.findUnique({ where: { userId }, select }))?.serviceMails ?? false;
  }

  async list(limit: number, offset: number): Promise<AccountPage> {
    const [total, users] = await Promise.all([
      this.prisma.user.count(),
      this.prisma.user.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: limit, skip: offset }),
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

  async roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined> {
    const where = { userId_workspaceId: { userId, workspaceId } };
    return workspaceRole.optional().parse((await this.prisma.membership.findUnique({ where }))?.role);
  }

  async membersOf(workspaceId: string): Promise<MemberRow[]> {
    const memberships = await this.prisma.membership.findMany({
      where: { workspaceId },
      orderBy: [{ joinedAt: 'asc' }, { userId: 'asc' }],
    });
    const users = await this.prisma.user.findMany({ where: { id: { in: memberships.map(({ userId }) => userId) } } });
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    return memberships.map(({ userId, role, joinedAt }) => ({
      userId,
      email: emails.get(userId) ?? '',
      role: workspaceRole.parse(role),
      joinedAt,
    }));
  }

  async invitationsOf(workspaceId: string): Promise<InvitationRow[]> {
    const invitations = await this.prisma.invitation.findMany({
      where: { workspaceId, endedAt: null, expiresAt: { gt: new Date() } },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return invitations.map(invitation => ({ ...invitation, role: workspaceRole.parse(invitation.role) }));
  }

  async findWorkspace(id: string): Promise<WorkspaceRow | undefined> {
    return (await this.prisma.workspace.findUnique({ where: { id } })) ?? undefined;
  }
}
