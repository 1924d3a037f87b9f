import type { WorkspaceRole } from '@postern/contracts';

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
  readonly inviterEmail: string;
  /** Whether a user has the address. */
  readonly hasAccount: boolean;
}

export type Invite = Pick<InvitationRow, 'workspaceId' | 'email' | 'role'> & { readonly actorId: string };
