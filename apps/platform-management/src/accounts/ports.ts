/** Hashes passwords slowly on purpose, away from the event loop. */
export abstract class PasswordHasher {
  abstract hash(password: string): Promise<string>;
  /** Takes as long for a missing hash as for a wrong password, so that answers do not tell which accounts exist. */
  abstract verify(hash: string | undefined, password: string): Promise<boolean>;
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

/** Users and how they prove who they are. E-mail addresses come in lower case. */
export abstract class UserRegistry {
  /**
   * All or nothing: credentials, the user's and the workspace's first events; the read models hold them afterwards.
   * Throws the refusal `user_exists`.
   */
  abstract register(user: NewUser): Promise<void>;
  /** Like `register`, unless there is an operator already, over all replicas. False when there is one. */
  abstract registerFirstOperator(user: NewUser): Promise<boolean>;
  abstract credentialsOf(email: string): Promise<Credentials | undefined>;
  abstract passwordHashOf(userId: string): Promise<string | undefined>;
  /**
   * Ends all sessions of the user with it, both or neither. False, and nothing done, when `verified` is no longer the
   * hash of their password.
   */
  abstract replacePassword(userId: string, verified: string, passwordHash: string): Promise<boolean>;
  /** A workspace and its creator's membership, both or neither. Throws the refusal `user_not_found`. */
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

/** The read model of users and their workspaces; never behind a command that has been answered. */
export abstract class AccountDirectory {
  abstract find(userId: string): Promise<Account | undefined>;
}

export interface Session {
  readonly userId: string;
  readonly workspaceId: string;
}

export interface SessionUser extends Session {
  readonly email: string;
  readonly operator: boolean;
}

export interface NewSession extends Session {
  readonly tokenHash: string;
  /** The hash that the password was held against. */
  readonly passwordHash: string;
  readonly expiresAt: Date;
}

/** Logins that are still valid. Tokens are known by their hash only. */
export abstract class Sessions {
  /** False, and nothing opened, when the password has been changed since it was looked at. */
  abstract open(session: NewSession): Promise<boolean>;
  /** One look-up, because every call of the dashboard asks. */
  abstract find(tokenHash: string): Promise<SessionUser | undefined>;
  abstract moveTo(tokenHash: string, workspaceId: string): Promise<void>;
  abstract end(tokenHash: string): Promise<void>;
  abstract purgeExpired(): Promise<void>;
}

/** Failed logins of the last minutes, counted where every replica sees them. */
export abstract class LoginFailures {
  /**
   * Counts an attempt as failed before its password is looked at, unless there have been too many; one attempt of an
   * account at a time, so that guesses made side by side count each other.
   * @returns false when the attempt may not be made.
   */
  abstract begin(email: string, ip: string, limits: LoginLimits): Promise<boolean>;
  /** The password was right: the account starts afresh, and the attempt that found out counts no longer. */
  abstract forgive(email: string): Promise<void>;
  abstract purgeOlderThan(windowS: number): Promise<void>;
}

/** How many failures within the window still allow another attempt. */
export interface LoginLimits {
  readonly windowS: number;
  readonly perAccount: number;
  readonly perAddress: number;
}
