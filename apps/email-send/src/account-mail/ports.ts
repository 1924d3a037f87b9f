import type { accountMailConsumer, EnvelopeOf } from '@postern/contracts';

/** An account event of which the user is notified by mail. */
export type AccountEvent = EnvelopeOf<(typeof accountMailConsumer.contracts)[number]>;

export interface AccountMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
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
  abstract invitation(invitationId: string): Promise<{ email: string; token: string; workspaceName: string } | null>;
}
