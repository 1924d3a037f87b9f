import type { QuotaOverrides } from '@postern/contracts';

/** Hashes passwords with a slow algorithm, off the event loop. */
export abstract class PasswordHasher {
  abstract hash(password: string): Promise<string>;
  /** Takes as long for a missing hash as for a wrong password, so that timing does not reveal which accounts exist. */
  abstract verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** Refuses passwords that attackers try first. */
export abstract class PasswordRules {
  /**
   * What is wrong with a new password, as the end of a sentence; undefined if it is accepted. `ownWords` are the
   * address and the names of its user.
   */
  abstract problemOf(password: string, ownWords: readonly string[]): string | undefined;
}

export interface Credentials {
  readonly userId: string;
  readonly passwordHash: string;
}

export interface NewUser {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly operator: boolean;
  readonly workspace: { readonly id: string; readonly name: string };
}

/** Users and their credentials. Email addresses are passed in lower case. */
export abstract class UserRepository {
  /**
   * Writes credentials and the first events of user and workspace in one transaction; the read models show them
   * afterwards. @throws the refusal `user_exists`.
   */
  abstract register(user: NewUser): Promise<void>;
  /** Like `register`, unless an operator exists in any replica. @returns false when one exists. */
  abstract registerFirstOperator(user: NewUser): Promise<boolean>;
  abstract credentialsOf(email: string): Promise<Credentials | undefined>;
  abstract passwordHashOf(userId: string): Promise<string | undefined>;
  /**
   * Replaces the password and ends all sessions of the user in one transaction.
   * @returns false, without a change, when `verified` is no longer the hash of the password.
   */
  abstract replacePassword(userId: string, verified: string, passwordHash: string): Promise<boolean>;
  /**
   * Creates a workspace and its creator's membership in one transaction.
   * @throws the refusals `user_not_found` and `quota_reached`.
   */
  abstract createWorkspace(userId: string, workspace: { readonly id: string; readonly name: string }): Promise<void>;
  abstract hasOperator(): Promise<boolean>;
}

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
}

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly operator: boolean;
  readonly createdAt: Date;
  /** In the order in which the user joined them. */
  readonly workspaces: readonly WorkspaceRow[];
}

/** The read model of users and their workspaces. It includes every command that has returned. */
export abstract class AccountDirectory {
  abstract find(userId: string): Promise<Account | undefined>;
  abstract findWorkspace(workspaceId: string): Promise<WorkspaceRow | undefined>;
}

export interface Session {
  readonly userId: string;
  readonly workspaceId: string;
}

export interface SessionUser extends Session {
  /** What an operator has set for the workspace. */
  readonly quotas: QuotaOverrides;
  readonly email: string;
  readonly operator: boolean;
}

export interface NewSession extends Session {
  readonly tokenHash: string;
  /** The hash that the password was verified against. */
  readonly passwordHash: string;
  readonly expiresAt: Date;
}

/** Sessions that are still valid. Only hashes of their tokens are stored. */
export abstract class Sessions {
  /** @returns false, without opening a session, when the password has changed since it was verified. */
  abstract open(session: NewSession): Promise<boolean>;
  /** A single query, because every dashboard request calls it. */
  abstract find(tokenHash: string): Promise<SessionUser | undefined>;
  abstract switchWorkspace(tokenHash: string, workspaceId: string): Promise<void>;
  abstract end(tokenHash: string): Promise<void>;
  abstract deleteExpired(): Promise<void>;
}

/** The source of attempts from devices that have not logged in to the account before. */
export const UNKNOWN_DEVICE = 'unknown';
/** The source of passwords that are tried with a session. */
export const SESSION = 'session';

/** One try of a password. */
export interface LoginAttempt {
  /** The address of the account, which need not exist. */
  readonly account: string;
  /** The client's IPv4 address or IPv6 /64. */
  readonly network: string;
  /** `UNKNOWN_DEVICE`, `SESSION`, or the id of a device that has logged in to the account before. */
  readonly source: string;
}

/** Failed logins of the last minutes, shared by all replicas. */
export abstract class LoginFailures {
  /**
   * Records a failure before the password is verified, unless there are too many. Attempts on one account are
   * serialised, so that concurrent guesses count each other. @returns the seconds to wait if it was not recorded, or 0.
   */
  abstract recordAttempt(attempt: LoginAttempt): Promise<number>;
  /** Whether a network has had that many failures over all accounts. */
  abstract exceeds(network: string, failures: number, windowS: number): Promise<boolean>;
  /** Deletes the failures of a source whose password was right; those of others stay. */
  abstract clear(attempt: LoginAttempt): Promise<void>;
  abstract deleteOlderThan(windowS: number): Promise<void>;
}
