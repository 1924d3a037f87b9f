import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { PrismaClient } from '../generated/prisma/client.js';
import { INSERT_MEMBERSHIP, INSERT_USER, INSERT_WORKSPACE } from './accounts.sql.js';
import type { Account, AccountDirectory, WorkspaceRow } from './ports.js';
import type { UserEvent } from './user.js';
import type { WorkspaceCreated } from './workspace.js';

type AccountEvent = UserEvent | WorkspaceCreated;

const apply = (event: AccountEvent, tx: ProjectionTransaction): Promise<unknown> | undefined => {
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
    case 'platform-management.password-changed.v1':
      return undefined;
  }
};

/** Users, workspaces, and memberships. */
export const accounts: Projection = {
  name: 'accounts',
  version: 1,
  tables: ['users', 'workspaces', 'memberships'],
  eventTypes: [
    'platform-management.user-registered.v1',
    'platform-management.user-joined-workspace.v1',
    'platform-management.workspace-created.v1',
  ],
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent & AccountEvent, tx);
  },
};

/** The read model of users and their workspaces. */
@Injectable()
export class Accounts implements AccountDirectory {
  constructor(private readonly prisma: PrismaClient) {}

  async find(userId: string): Promise<Account | undefined> {
    const user = await this.prisma.user.findUnique({ where: { id: userId } });
    if (!user) return undefined;
    const memberships = await this.prisma.membership.findMany({
      where: { userId },
      orderBy: [{ joinedAt: 'asc' }, { workspaceId: 'asc' }],
    });
    const ids = memberships.map(({ workspaceId }) => workspaceId);
    const workspaces = await this.prisma.workspace.findMany({ where: { id: { in: ids } } });
    return {
      ...user,
      workspaces: ids.flatMap(id => workspaces.filter(workspace => workspace.id === id)),
    };
  }

  async findWorkspace(id: string): Promise<WorkspaceRow | undefined> {
    return (await this.prisma.workspace.findUnique({ where: { id } })) ?? undefined;
  }
}
