import type { QuotaOverrides, WorkspaceRole } from '@postern/contracts';

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
}

/**
 * Tokens of devices that have signed in to an account (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 * A token grants no access; it identifies the device to one account, so that failures of other devices do not count.
 */
export abstract class DeviceTokens {
  abstract tokenOf(userId: string): string;
  /** The id of the device; undefined if the token is invalid, of another account, or older than 180 days. */
  abstract deviceOf(token: string | undefined, userId: string | undefined): string | undefined;
}
