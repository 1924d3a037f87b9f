import type { PlatformOperation, WorkspaceRole } from '@postern/contracts';
import type { PlatformKeyScope } from './platform-key.js';

/** A platform key that is not revoked. */
export interface AdmittedKey {
  readonly id: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly keyPrefix: string;
  readonly scope: PlatformKeyScope;
  readonly expiresAt: Date | undefined;
  /** Null for all projects of the workspace. */
  readonly projects: readonly string[] | null;
  /** Null for all operations. */
  readonly operations: readonly PlatformOperation[] | null;
  /** Role of the key's user in the workspace. */
  readonly role: WorkspaceRole;
}

/** A call with a key; `used` are the calls of the last 60 seconds over all replicas, and this one. */
export interface CountedCall {
  readonly key: AdmittedKey;
  readonly used: number;
  /** Seconds until the oldest of them no longer counts. */
  readonly resetS: number;
  /** Reason for refusing the key; a refused call is not counted. */
  readonly refused?: 'platform_key_expired' | 'user_disabled' | 'member_removed' | undefined;
}

/** Looks up keys and counts their calls. */
export abstract class PlatformCalls {
  /** Returns undefined if the key is unknown or revoked. Counts the call unless `limit` is 0 or reached. */
  abstract admit(keyHash: string, limit: number): Promise<CountedCall | undefined>;
  /** Saves the last uses of keys, independent of calls. Uses that could not be saved are kept for the next attempt. */
  abstract saveLastUses(): Promise<void>;
}
