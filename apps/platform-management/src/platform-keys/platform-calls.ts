import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { PlatformOperation, WorkspaceRole } from '@postern/contracts';
import { GroupCommit } from '@postern/event-sourcing';
import { Database, Every, ServiceLog } from '@postern/service-host';
import type { PlatformKeyScope } from './platform-key.js';
import { ADMIT_CALLS, ADMIT_UNCOUNTED_CALLS, SAVE_LAST_USES } from './platform-keys.sql.js';

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

interface Call {
  readonly keyHash: string;
  /** 0 for a call that is not counted. */
  readonly limit: number;
}

interface KeyRow {
  readonly key_hash: string;
  readonly id: string;
  readonly user_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly scope: PlatformKeyScope;
  readonly expires_at: Date | null;
  readonly projects: readonly string[] | null;
  readonly operations: readonly PlatformOperation[] | null;
  /** Null if the user is not a member of the workspace; the key is refused then. */
  readonly role: WorkspaceRole | null;
  readonly refused: CountedCall['refused'] | null;
  /** Null when no call was counted. */
  readonly used: number | null;
  readonly reset_s: number | null;
}

/** Admits concurrent calls in one statement. */
@Injectable()
export class PlatformCalls implements OnApplicationShutdown {
  readonly #calls: GroupCommit<Call, CountedCall | undefined>;
  #used = new Map<string, Date>();

  constructor(
    private readonly database: Database,
    private readonly log: ServiceLog,
  ) {
    this.#calls = new GroupCommit({ flush: calls => this.#admit(calls) });
  }

  /** Returns undefined if the key is unknown or revoked. Counts the call unless `limit` is 0 or reached. */
  admit(keyHash: string, limit: number): Promise<CountedCall | undefined> {
    return this.#calls.submit({ keyHash, limit });
  }

  /** Runs after the last call and before the database closes. An error must not prevent the shutdown. */
  async onApplicationShutdown(): Promise<void> {
    await this.saveLastUses().catch((err: unknown) =>
      this.log.warn({ err }, 'The last uses of platform keys could not be saved'),
    );
  }

  @Every(30_000, 'save last uses of platform keys')
  /** Saves the last uses of keys, independent of calls. Uses that could not be saved are kept for the next attempt. */
  async saveLastUses(): Promise<void> {
    const used = this.#used;
    if (used.size === 0) return;
    this.#used = new Map();
    try {
      await this.database.pool.query(SAVE_LAST_USES, [[...used.keys()], [...used.values()]]);
    } catch (error) {
      // Newer uses override the unsaved ones.
      this.#used = new Map([...used, ...this.#used]);
      throw error;
    }
  }

  async #admit(calls: readonly Call[]): Promise<(CountedCall | undefined)[]> {
    const counted = new Map<string, number>();
    for (const { keyHash, limit } of calls) counted.set(keyHash, (counted.get(keyHash) ?? 0) + (limit > 0 ? 1 : 0));
    const values = [[...counted.keys()], [...counted.values()]];
    const limit = Math.max(...calls.map(call => call.limit));
    const { rows } =
      limit > 0
        ? await this.database.pool.query<KeyRow>({
            name: 'admit-platform-calls',
            text: ADMIT_CALLS,
            values: [...values, limit],
          })
        : await this.database.reads.query<KeyRow>({
            name: 'admit-uncounted-platform-calls',
            text: ADMIT_UNCOUNTED_CALLS,
            values,
          });
    const now = new Date();
    const known = new Map(rows.map(row => [row.key_hash, { row, key: keyOf(row), before: usedBefore(row, counted) }]));
    return calls.map(({ keyHash, limit }) => {
      const found = known.get(keyHash);
      if (!found) return undefined;
      if (found.row.refused) return { key: found.key, used: 0, resetS: 0, refused: found.row.refused };
      this.#used.set(found.key.id, now);
      if (limit > 0) found.before += 1;
      return { key: found.key, used: found.before, resetS: found.row.reset_s ?? 0 };
    });
  }
}

/** Returns the number of calls with the key before this batch. */
const usedBefore = ({ key_hash, used }: KeyRow, counted: ReadonlyMap<string, number>): number =>
  used === null ? 0 : used - (counted.get(key_hash) ?? 0);

const keyOf = (row: KeyRow): AdmittedKey => ({
  id: row.id,
  userId: row.user_id,
  workspaceId: row.workspace_id,
  name: row.name,
  keyPrefix: row.key_prefix,
  scope: row.scope,
  expiresAt: row.expires_at ?? undefined,
  projects: row.projects,
  operations: row.operations,
  role: row.role ?? 'viewer',
});
