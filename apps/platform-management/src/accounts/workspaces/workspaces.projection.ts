import { Injectable } from '@nestjs/common';
import { type WorkspaceRole, workspaceRole } from '@postern/contracts';
import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { PrismaClient } from '../../generated/prisma/client.js';
import type { WorkspaceEvent } from './workspace.js';
import type { InvitationRow, MemberRow, WorkspaceRow } from './workspace-rows.js';
import {
  DELETE_MEMBER,
  DELETE_MEMBERS_OF,
  DELETE_WORKSPACE,
  INSERT_MEMBER,
  INSERT_WORKSPACE,
  RENAME_WORKSPACE,
  UPDATE_MEMBER_ROLE,
} from './workspaces.sql.js';

/** The events that change the read model of workspaces and their members. */
export const WORKSPACE_EVENT_TYPES = [
  'platform-management.workspace-created.v1',
  'platform-management.workspace-renamed.v1',
  'platform-management.workspace-deleted.v1',
  'platform-management.member-added.v1',
  'platform-management.member-role-changed.v1',
  'platform-management.member-removed.v1',
] as const;

export type AppliedWorkspaceEvent = Extract<WorkspaceEvent, { type: (typeof WORKSPACE_EVENT_TYPES)[number] }>;

/** Applies one event to the read model of workspaces and their members. */
export async function applyWorkspaceEvent(event: AppliedWorkspaceEvent, tx: ProjectionTransaction): Promise<unknown> {
  switch (event.type) {
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
  }
}

/** The read model of workspaces and their members. */
@Injectable()
export class Workspaces {
  constructor(private readonly prisma: PrismaClient) {}

  async find(id: string): Promise<WorkspaceRow | undefined> {
    return (await this.prisma.workspace.findUnique({ where: { id } })) ?? undefined;
  }

  /** Undefined for a user who does not belong to the workspace. */
  async roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined> {
    const where = { userId_workspaceId: { userId, workspaceId } };
    return workspaceRole.optional().parse((await this.prisma.membership.findUnique({ where }))?.role);
  }

  /** Ordered by the time at which they joined. */
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

  /** Invitations that can be accepted, the oldest first. */
  async invitationsOf(workspaceId: string): Promise<InvitationRow[]> {
    const invitations = await this.prisma.invitation.findMany({
      where: { workspaceId, endedAt: null, expiresAt: { gt: new Date() } },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return invitations.map(invitation => ({ ...invitation, role: workspaceRole.parse(invitation.role) }));
  }
}
