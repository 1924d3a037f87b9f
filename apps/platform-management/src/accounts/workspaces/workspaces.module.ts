import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { AccountTransactionsModule } from '../account-transactions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AcceptInvitation } from './accept-invitation.js';
import { AddMember } from './add-member.js';
import { ChangeMemberRole } from './change-member-role.js';
import { ChangeWorkspace } from './change-workspace.js';
import { CreateWorkspace } from './create-workspace.js';
import { DeclineInvitation } from './decline-invitation.js';
import { FindWorkspaces } from './find-workspaces.js';
import { GetAccountMailFacts } from './get-account-mail-facts.js';
import { GetMembership } from './get-membership.js';
import { IssueInvitationToken } from './issue-invitation-token.js';
import { JoinWorkspace } from './join-workspace.js';
import { LeaveWorkspace } from './leave-workspace.js';
import { ListInvitations } from './list-invitations.js';
import { ListMembers } from './list-members.js';
import { RemoveMember } from './remove-member.js';
import { WorkspaceRepository } from './workspace-repository.js';
import { Workspaces } from './workspaces.projection.js';

/** Workspaces with their members, roles and invitations. */
@Module({
  imports: [AccountTransactionsModule, prisma, UsersModule],
  providers: [
    CreateWorkspace,
    ChangeWorkspace,
    AddMember,
    ListMembers,
    FindWorkspaces,
    ChangeMemberRole,
    RemoveMember,
    LeaveWorkspace,
    GetMembership,
    IssueInvitationToken,
    AcceptInvitation,
    ListInvitations,
    JoinWorkspace,
    DeclineInvitation,
    GetAccountMailFacts,
    Workspaces,
    WorkspaceRepository,
  ],
  exports: [Workspaces, WorkspaceRepository],
})
export class WorkspacesModule {}
