import type { WorkspaceRole } from '@postern/contracts';
import type { MemberCommand } from './workspace-members.js';

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
}

/** A user of a workspace. */
export interface MemberRow {
  readonly userId: string;
  readonly email: string;
  readonly role: WorkspaceRole;
  readonly joinedAt: Date;
}

export interface InvitationRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: WorkspaceRole;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation as the invited user sees it. */
export interface ReceivedInvitation extends InvitationRow {
  readonly workspaceName: string;
  readonly inviterEmail: string;
}

/** An invitation with the token of its mail. */
export interface MailedInvitation extends InvitationRow {
  readonly token: string;
  /** Whether a user has the address. */
  readonly hasAccount: boolean;
}

/** The read model of workspaces and their members. It includes every command that has returned. */
export abstract class WorkspaceDirectory {
  abstract find(workspaceId: string): Promise<WorkspaceRow | undefined>;
  /** Undefined for a user who does not belong to the workspace. */
  abstract roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>;
  /** Ordered by the time at which they joined. */
  abstract membersOf(workspaceId: string): Promise<MemberRow[]>;
  /** Invitations that can be accepted, the oldest first. */
  abstract invitationsOf(workspaceId: string): Promise<InvitationRow[]>;
}

export type Invite = Pick<InvitationRow, 'workspaceId' | 'email' | 'role'> & { readonly actorId: string };

/** Writes workspaces with their members and invitations. */
export abstract class WorkspaceRepository {
  /**
   * Creates a workspace and its creator's membership in one transaction.
   * @throws the refusals `user_not_found` and `quota_reached`.
   */
  abstract create(userId: string, workspace: WorkspaceRow): Promise<void>;
  /** @throws the refusals `workspace_not_found`, `role_insufficient` and `invalid_input`. */
  abstract rename(workspaceId: string, name: string, actorId: string): Promise<void>;
  /**
   * Executes the command; removing a member ends the member's sessions in the workspace in the same transaction. An
   * invitation is removed like a member, by its id. @throws the refusals of `decideMembers`.
   */
  abstract execute(workspaceId: string, command: MemberCommand): Promise<void>;
  /** @throws the refusals of `decideInvitation`. */
  abstract invite(invite: Invite): Promise<InvitationRow>;
  /** Replaces the token of an invitation that can be accepted, and stores its hash; undefined for other invitations. */
  abstract issueToken(invitationId: string): Promise<MailedInvitation | undefined>;
  /** The invitations that a user can accept, the newest first. */
  abstract invitationsTo(userId: string): Promise<readonly ReceivedInvitation[]>;
  /**
   * Makes an invited user a member, once. @returns the id of the workspace.
   * @throws the refusals `invitation_not_found`, `member_exists` and `quota_reached`.
   */
  abstract join(userId: string, invitationId: string): Promise<string>;
  /** @throws the refusal `invitation_not_found`. */
  abstract decline(userId: string, invitationId: string): Promise<void>;
  /** Undefined if the invitation was accepted, was revoked, or has expired. */
  abstract findInvitation(token: string): Promise<InvitationRow | undefined>;
  /**
   * Creates the user and their membership in one transaction, once.
   * @throws the refusals `token_invalid` and `user_exists`.
   */
  abstract accept(
    invitation: InvitationRow,
    token: string,
    newUser: { readonly userId: string; readonly passwordHash: string },
  ): Promise<void>;
}
