import type { WorkspaceRole } from '@postern/contracts';

export interface Credentials {
  readonly userId: string;
  readonly passwordHash: string;
  readonly disabled: boolean;
}

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly operator: boolean;
  readonly createdAt: Date;
  /** Ordered by the time at which the user joined. */
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: WorkspaceRole }[];
}

export interface AccountPage {
  readonly total: number;
  readonly accounts: readonly (Account & { readonly enabled: boolean; readonly secondFactor: boolean })[];
}

/** Which mail a user gets about the workspaces that they own. */
export interface AccountMails {
  /** At the moment when something fails or works again. */
  readonly serviceMails: boolean;
  /** Once a day, if something needs somebody. */
  readonly statusMails: boolean;
}

/** The read model of users and their workspaces. It includes every command that has returned. */
export abstract class AccountDirectory {
  abstract find(userId: string): Promise<Account | undefined>;
  /** Finds a user as soon as an event contains the user, also before the read model does. */
  abstract addressOf(userId: string): Promise<string | undefined>;
  abstract mailsOf(userId: string): Promise<AccountMails>;
  /** Whether the user has a confirmed second factor. */
  abstract hasSecondFactor(userId: string): Promise<boolean>;
  /** One page of the accounts whose addresses contain `search`, newest first. */
  abstract list(search: string, limit: number, offset: number): Promise<AccountPage>;
}
