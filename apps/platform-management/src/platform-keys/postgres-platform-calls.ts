import { GroupCommit } from '@postern/event-sourcing';
import type pg from 'pg';
import { type AdmittedKey, type CountedCall, PlatformCalls } from '../environment/ports.js';
import type { PlatformKeyScope } from './platform-key.js';

interface Call {
  readonly keyHash: string;
  readonly counts: boolean;
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
  /** Null where nothing was counted. */
  readonly used: number | null;
  readonly reset_s: number | null;
}

const WINDOW = `interval '1 minute'`;

/**
 * A key's minute begins with its first call. Keys are taken in one order by everybody, so that two batches never wait
 * for each other.
 */
const ADMIT = `
  WITH known AS (
    SELECT k.*, asked.counted FROM unnest($1::text[], $2::integer[]) AS asked (key_hash, counted)
    JOIN platform_keys k USING (key_hash) WHERE k.expires_at IS NULL OR k.expires_at > now()
  ), counts AS (
    INSERT INTO platform_call_counts AS c (key_id, began_at, calls)
    SELECT id, now(), counted FROM known WHERE counted > 0 ORDER BY id
    ON CONFLICT (key_id) DO UPDATE SET
      began_at = CASE WHEN c.began_at > now() - ${WINDOW} THEN c.began_at ELSE excluded.began_at END,
      calls = CASE WHEN c.began_at > now() - ${WINDOW} THEN c.calls ELSE 0 END + excluded.calls
    RETURNING key_id, calls, least(60, ceil(extract(epoch FROM began_at + ${WINDOW} - now())))::integer AS reset_s
  )
  SELECT k.key_hash, k.id, k.user_id, k.workspace_id, k.name, k.key_prefix, k.scope, k.expires_at,
    counts.calls AS used, counts.reset_s
  FROM known k LEFT JOIN counts ON counts.key_id = k.id`;

/** One statement recognises and counts the calls that arrive together, whatever their keys. */
export class CountedCalls extends PlatformCalls {
  readonly #calls: GroupCommit<Call, CountedCall | undefined>;
  #used = new Map<string, Date>();

  constructor(private readonly pool: pg.Pool) {
    super();
    this.#calls = new GroupCommit({ flush: calls => this.#admit(calls) });
  }

  override admit(keyHash: string, counts: boolean): Promise<CountedCall | undefined> {
    return this.#calls.submit({ keyHash, counts });
  }

  override async flushUses(): Promise<void> {
    const used = this.#used;
    if (used.size === 0) return;
    this.#used = new Map();
    try {
      await this.pool.query(
        `INSERT INTO platform_key_uses AS u (key_id, last_used_at)
         SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at) ORDER BY id
         ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
        [[...used.keys()], [...used.values()]],
      );
    } catch (error) {
      // What was used meanwhile was used later.
      this.#used = new Map([...used, ...this.#used]);
      throw error;
    }
  }

  async #admit(calls: readonly Call[]): Promise<(CountedCall | undefined)[]> {
    const counted = new Map<string, number>();
    for (const { keyHash, counts } of calls) counted.set(keyHash, (counted.get(keyHash) ?? 0) + (counts ? 1 : 0));
    const { rows } = await this.pool.query<KeyRow>({
      name: 'admit-platform-calls',
      text: ADMIT,
      values: [[...counted.keys()], [...counted.values()]],
    });
    const now = new Date();
    const known = new Map(rows.map(row => [row.key_hash, { row, key: keyOf(row), before: usedBefore(row, counted) }]));
    return calls.map(({ keyHash, counts }) => {
      const found = known.get(keyHash);
      if (!found) return undefined;
      this.#used.set(found.key.id, now);
      if (counts) found.before += 1;
      return { key: found.key, used: found.before, resetS: found.row.reset_s ?? 0 };
    });
  }
}

/** What the key had used before this batch. */
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
});
