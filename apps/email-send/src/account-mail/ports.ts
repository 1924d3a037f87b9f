import type { accountMailConsumer, EnvelopeOf, WorkspaceRole } from '@postern/contracts';

/** An account event of which the user is notified by mail. */
export type AccountEvent = EnvelopeOf<(typeof accountMailConsumer.contracts)[number]>;

export interface AccountMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** For mail to people who may have no relation to the installation. */
  readonly unsubscribeUrl?: string;
}

export interface InvitationFacts {
  readonly email: string;
  readonly token: string;
  readonly workspaceName: string;
  /** Whether a user has the address. */
  readonly hasAccount: boolean;
  /** The address of the inviter. */
  readonly invitedBy: string;
  readonly role: WorkspaceRole;
}

/** Data that events omit, from platform-management: addresses, names and tokens. */
export abstract class AccountFacts {
  abstract ofUser(
    userId: string,
    workspaceId?: string,
  ): Promise<{ email: string | null; workspaceName: string | null }>;
  /** Null if nothing is to be mailed. */
  abstract passwordReset(requestId: string): Promise<{ email: string; token: string } | null>;
  /** Null if nothing is to be mailed. */
  abstract invitation(invitationId: string): Promise<InvitationFacts | null>;
}
