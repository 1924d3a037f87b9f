import type { QuotaOverrides, WorkspaceRole } from '@postern/contracts';
import type { MemberCommand } from './workspace-members.js';

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
   * Writes credentials and the first events of user and workspace in one transaction. The read models include them when
   * this resolves. @throws the refusal `user_exists`.
   */
  abstract register(user: NewUser): Promise<void>;
  /** Like `register`, but only once over all replicas. @returns false if an operator exists. */
  abstract registerFirstOperator(user: NewUser): Promise<boolean>;
  abstract credentialsOf(email: string): Promise<Credentials | undefined>;
  abstract passwordHashOf(userId: string): Promise<string | undefined>;
  /**
   * Replaces the password and ends all sessions of the user in one transaction.
   * @returns false, without a change, if `verified` is no longer the hash of the password.
   */
  abstract replacePassword(userId: string, verified: string, passwordHash: string): Promise<boolean>;
  /**
   * Creates a workspace and its creator's membership in one transaction.
   * @throws the refusals `user_not_found` and `quota_reached`.
   */
  abstract createWorkspace(userId: string, workspace: { readonly id: string; readonly name: string }): Promise<void>;
  /**
   * Disables or enables a user; disabling ends all sessions in the same transaction. Repetitions have no effect.
   * @throws the refusal `invalid_input` for the last operator who can sign in.
   */
  abstract setEnabled(userId: string, enabled: boolean, actorId: string): Promise<void>;
  /** Turns mail about failures in the workspaces that the user owns on or off. */
  abstract setServiceMails(userId: string, on: boolean): Promise<void>;
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
  /** Ordered by the time at which the user joined. */
  readonly workspaces: readonly (WorkspaceRow & { readonly role: WorkspaceRole })[];
}

/** A user of a workspace. */
export interface MemberRow {
  readonly userId: string;
  readonly email: string;
  readonly role: WorkspaceRole;
  readonly joinedAt: Date;
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
  /** One page of all accounts, newest first. */
  abstract list(limit: number, offset: number): Promise<AccountPage>;
  abstract findWorkspace(workspaceId: string): Promise<WorkspaceRow | undefined>;
}

/** The read model of the members of workspaces. It includes every command that has returned. */
export abstract class MemberDirectory {
  /** Undefined for a user who does not belong to the workspace. */
  abstract roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>;
  /** Ordered by the time at which they joined. */
  abstract membersOf(workspaceId: string): Promise<MemberRow[]>;
  /** Invitations that can be accepted, the oldest first. */
  abstract invitationsOf(workspaceId: string): Promise<InvitationRow[]>;
}

export interface InvitationRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: WorkspaceRole;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

export type Invite = Pick<InvitationRow, 'workspaceId' | 'email' | 'role'> & { readonly actorId: string };

/** Writes the names, members and roles of workspaces. */
export abstract class MemberRepository {
  /** @throws the refusals `workspace_not_found`, `role_insufficient` and `invalid_input`. */
  abstract rename(workspaceId: string, name: string, actorId: string): Promise<void>;
  /**
   * Executes the command; removing a member ends the member's sessions in the workspace in the same transaction. An
   * invitation is removed like a member, by its id. @throws the refusals of `decideMembers`.
   */
  abstract execute(workspaceId: string, command: MemberCommand): Promise<void>;
  /** @throws the refusals of `decideInvitation`. */
  abstract invite(invite: Invite): Promise<InvitationRow>;
  /** Sets the token hash of an invitation that can be accepted; undefined for other invitations. */
  abstract issueToken(invitationId: string, tokenHash: string): Promise<InvitationRow | undefined>;
  /** Undefined if the invitation was accepted, was revoked, or has expired. */
  abstract findInvitation(tokenHash: string): Promise<InvitationRow | undefined>;
  /**
   * Creates the user and their membership in one transaction, once.
   * @throws the refusals `token_invalid` and `user_exists`.
   */
  abstract accept(
    invitation: InvitationRow,
    tokenHash: string,
    newUser: { readonly userId: string; readonly passwordHash: string },
  ): Promise<void>;
  abstract deleteOldInvitations(): Promise<void>;
}

export interface SecondFactorRow {
  /** The secret in base32. */
  readonly secret: string;
  readonly confirmed: boolean;
  /** Whether the second factor can still be confirmed. */
  readonly started: boolean;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
}

/** Secrets of authenticators, and hashes of recovery codes. */
export abstract class SecondFactors {
  abstract find(userId: string): Promise<SecondFactorRow | undefined>;
  /** @returns false, without a change, if the user has a confirmed second factor. */
  abstract start(userId: string, secret: string): Promise<boolean>;
  /**
   * Confirms the second factor and ends all sessions of the user except the one with the token, in one transaction.
   * @returns false if there is no second factor to confirm. @throws the refusal `second_factor_enabled`.
   */
  abstract confirm(userId: string, step: number, codeHashes: readonly string[], tokenHash: string): Promise<boolean>;
  /** @returns false if a code of this or a later step was used before. */
  abstract useStep(userId: string, step: number): Promise<boolean>;
  /** @returns false if the code does not exist or was used before. */
  abstract useRecoveryCode(userId: string, codeHash: string): Promise<boolean>;
  /** @throws the refusal `second_factor_not_enabled`. */
  abstract renewRecoveryCodes(userId: string, codeHashes: readonly string[]): Promise<void>;
  /** @throws the refusal `second_factor_not_enabled`. */
  abstract remove(userId: string, actorId: string): Promise<void>;
}

/** Requests to reset a password by mail. */
export abstract class PasswordResets {
  /** Stores the request and its event, unless the address or network has exceeded its limit. */
  abstract request(email: string, network: string): Promise<void>;
  /** Sets the hash of the token. @returns the recipient of the mail; undefined if no mail is to be sent. */
  abstract issueToken(requestId: string, tokenHash: string): Promise<string | undefined>;
  /** The user of a token that has neither expired nor been used. */
  abstract userOf(tokenHash: string): Promise<string | undefined>;
  /**
   * Uses the token, replaces the password and ends all sessions of the user in one transaction.
   * @returns false, without a change, if the token was used in the meantime.
   */
  abstract confirm(userId: string, tokenHash: string, passwordHash: string): Promise<boolean>;
  abstract deleteOld(): Promise<void>;
}

export interface Session {
  readonly userId: string;
  readonly workspaceId: string;
}

export interface SessionUser extends Session {
  /** The quotas that an operator has set for the workspace. */
  readonly quotas: QuotaOverrides;
  readonly email: string;
  readonly operator: boolean;
  readonly role: WorkspaceRole;
  readonly hasSecondFactor: boolean;
}

export interface NewSession {
  readonly userId: string;
  readonly workspace: WorkspaceRow & { readonly isNew?: boolean };
  readonly tokenHash: string;
  /** The hash that the password was verified against. */
  readonly passwordHash: string;
  readonly expiresAt: Date;
  readonly clientAddress: string;
  /** The user agent in short form. */
  readonly userAgent: string | undefined;
  /** Whether the device has proved that it has signed in before. */
  readonly isKnownDevice: boolean;
}

/** A session in the list of its user. */
export interface SessionRow {
  readonly id: string;
  readonly tokenHash: string;
  readonly createdAt: Date;
  /** May be up to one minute old. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  /** Null for sessions of earlier releases, which did not store it. */
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}

/** Sessions that have reached neither their expiry nor the idle timeout. Only hashes of their tokens are stored. */
export abstract class Sessions {
  /**
   * Opens a session; creates a new workspace and records an unknown device in the same transaction.
   * @returns false, without opening a session, if the password has changed since it was verified.
   */
  abstract open(session: NewSession): Promise<boolean>;
  /** A single query, because every dashboard request calls it. */
  abstract find(tokenHash: string): Promise<SessionUser | undefined>;
  abstract switchWorkspace(tokenHash: string, workspaceId: string): Promise<void>;
  abstract end(tokenHash: string): Promise<void>;
  /** Most recently used first. */
  abstract listOf(userId: string): Promise<SessionRow[]>;
  /** @returns false if the user has no such session. */
  abstract endOne(userId: string, id: string): Promise<boolean>;
  /** @returns the number of ended sessions. */
  abstract endAll(userId: string): Promise<number>;
  abstract deleteExpired(): Promise<void>;
}

/** The source of attempts from devices that have not signed in to the account before. */
export const UNKNOWN_DEVICE = 'unknown';
/** The source of passwords that are tried with a session. */
export const SESSION = 'session';

/** One attempt to verify a password. */
export interface LoginAttempt {
  /** The address of the account, which need not exist. */
  readonly account: string;
  /** The client's IPv4 address or IPv6 /64. */
  readonly network: string;
  /** `UNKNOWN_DEVICE`, `SESSION`, or the id of a device that has signed in to the account before. */
  readonly source: string;
}

/** Failed logins of the last minutes, shared by all replicas. */
export abstract class LoginFailures {
  /**
   * Records a failure before the password is verified, unless there are too many. Attempts on one account are
   * serialised, so that concurrent guesses are all counted. @returns the seconds to wait if it was not recorded, or 0.
   */
  abstract recordAttempt(attempt: LoginAttempt): Promise<number>;
  /** Whether a network has at least `failures` failures over all accounts within the window. */
  abstract exceeds(network: string, failures: number, windowS: number): Promise<boolean>;
  /** Deletes the failures of a source after a correct password; failures of other sources stay. */
  abstract clear(attempt: LoginAttempt): Promise<void>;
  abstract deleteOlderThan(windowS: number): Promise<void>;
}
