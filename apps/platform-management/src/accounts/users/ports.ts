import type { WorkspaceRole } from '@postern/contracts';

/** Hashes passwords with a slow algorithm, off the event loop. */
export abstract class PasswordHasher {
  abstract hash(password: string): Promise<string>;
  /** Takes as long for a missing hash as for a wrong password, so that timing does not reveal which accounts exist. */
  abstract verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** Refuses passwords that attackers try first. */
export abstract class PasswordRules {
  /**
   * The reason why a new password is refused, as the end of a sentence; undefined if it is accepted. `ownWords` are the
   * address and names of the user.
   */
  abstract problemOf(password: string, ownWords: readonly string[]): string | undefined;
}

export interface Credentials {
  readonly userId: string;
  readonly passwordHash: string;
  readonly disabled: boolean;
}

/** Users and their credentials. Email addresses are passed in lower case. */
export abstract class UserRepository {
  abstract credentialsOf(email: string): Promise<Credentials | undefined>;
  abstract passwordHashOf(userId: string): Promise<string | undefined>;
  /**
   * Disables or enables a user; disabling ends all sessions in the same transaction. Repetitions have no effect.
   * @throws the refusal `invalid_input` for the last operator who can sign in.
   */
  abstract setEnabled(userId: string, enabled: boolean, actorId: string): Promise<void>;
  /** Turns mail about failures in the workspaces that the user owns on or off. */
  abstract setServiceMails(userId: string, on: boolean): Promise<void>;
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

/** The read model of users and their workspaces. It includes every command that has returned. */
export abstract class AccountDirectory {
  abstract find(userId: string): Promise<Account | undefined>;
  /** Finds a user as soon as an event contains the user, also before the read model does. */
  abstract addressOf(userId: string): Promise<string | undefined>;
  /** Whether the user is mailed about failures in the workspaces that they own. */
  abstract getsServiceMails(userId: string): Promise<boolean>;
  /** Whether the user has a confirmed second factor. */
  abstract hasSecondFactor(userId: string): Promise<boolean>;
  /** One page of all accounts, newest first. */
  abstract list(limit: number, offset: number): Promise<AccountPage>;
}
