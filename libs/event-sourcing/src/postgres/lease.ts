import type pg from 'pg';
import {
  FORGET_LEASE,
  IS_HELD,
  LOCK_LEASE,
  RELEASE_LEASE,
  RENEW_LEASE,
  SELECT_HOLDERS,
  TAKE_LEASE,
} from './leases.sql.js';
import { identityOfThisProcess, isDead } from './process-identity.js';
import { queryWithin } from './within.js';

/**
 * The limits of every lease. A holder that cannot renew stops at `stopAfterMs`, before PostgreSQL gives the lease to the
 * next process at `seconds`: both know the deadline, so neither depends on the network to report a death.
 */
export const LEASE_LIMITS = { seconds: 12, stopAfterMs: 10_000, renewEveryMs: 3_000, attemptMs: 3_000 } as const;

/** Why a holder must stop: PostgreSQL did not confirm its lease in time, or another process has it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(lease: string, reason: string, options?: ErrorOptions) {
    super(`lost the lease "${lease}": ${reason}`, options);
  }
}

/** A right that one process at a time holds, as a row with a deadline by the clock of PostgreSQL. */
export class Lease {
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #stopTimer: NodeJS.Timeout | undefined;
  #stopAt = 0;
  #renewTimer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly pool: pg.Pool,
    private readonly name: string,
    /** Rises with each holder; a write that checks it cannot come from an earlier holder. */
    readonly token: string,
    takenAt: number,
  ) {
    this.#confirm(takenAt);
    this.#renewSoon(LEASE_LIMITS.renewEveryMs);
  }

  /** Undefined while another process holds it. */
  static async take(pool: pg.Pool, name: string): Promise<Lease | undefined> {
    const sentAt = performance.now();
    const { rows } = await queryWithin<{ token: string }>(pool, LEASE_LIMITS.attemptMs, {
      name: 'lease-take',
      text: TAKE_LEASE,
      values: [name, LEASE_LIMITS.seconds, identityOfThisProcess()],
    });
    return rows[0] && new Lease(pool, name, rows[0].token, sentAt);
  }

  /** Frees what processes held that have ended on this machine: their successors need not wait until the leases end. */
  static async freeThoseOfDeadProcesses(pool: pg.Pool): Promise<void> {
    const { rows } = await pool.query<{ name: string; token: string; holder: string }>(SELECT_HOLDERS);
    for (const { name, token, holder } of rows) if (isDead(holder)) await pool.query(RELEASE_LEASE, [name, token]);
  }

  static async isHeld(pool: pg.Pool, name: string): Promise<boolean> {
    const { rows } = await pool.query<{ held: boolean }>(IS_HELD, [name]);
    return rows[0]?.held ?? false;
  }

  /** Aborted with a `LeaseLost` when this process must stop. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Whether this process may act. In contrast to `lost`, it is true at no time after the deadline: a process that was paused can act
   * before its timers run.
   */
  get isCurrent(): boolean {
    return !this.#isOver && performance.now() < this.#stopAt;
  }

  /** Keeps the lease until the end of the transaction. @throws LeaseLost if another process may have it. */
  async require(client: pg.ClientBase): Promise<void> {
    const { rowCount } = await client.query(LOCK_LEASE, [this.name, this.token]);
    if (rowCount === 0) throw new LeaseLost(this.name, 'it ended before this transaction');
  }

  /** Frees the lease at once; if PostgreSQL cannot be reached, it ends by itself. */
  release(): Promise<void> {
    return this.#end({ name: 'lease-release', text: RELEASE_LEASE });
  }

  /** Like `release`, for a name that nobody takes again. */
  forget(): Promise<void> {
    return this.#end({ name: 'lease-forget', text: FORGET_LEASE });
  }

  async #end(statement: { readonly name: string; readonly text: string }): Promise<void> {
    this.#stopTimers();
    this.#ended.abort();
    const values = [this.name, this.token];
    await queryWithin(this.pool, LEASE_LIMITS.attemptMs, { ...statement, values }).catch(() => undefined);
  }

  /** Timers measure from the moment before the statement was sent, so that this process stops first. */
  #confirm(sentAt: number): void {
    clearTimeout(this.#stopTimer);
    this.#stopAt = sentAt + LEASE_LIMITS.stopAfterMs;
    this.#stopTimer = setTimeout(
      () => this.#lose(`PostgreSQL did not confirm it for ${LEASE_LIMITS.stopAfterMs / 1_000} s`),
      this.#stopAt - performance.now(),
    );
  }

  #renewSoon(inMs: number): void {
    this.#renewTimer = setTimeout(() => void this.#renew(), inMs);
  }

  async #renew(): Promise<void> {
    const sentAt = performance.now();
    try {
      const { rowCount } = await queryWithin(this.pool, LEASE_LIMITS.attemptMs, {
        name: 'lease-renew',
        text: RENEW_LEASE,
        values: [this.name, this.token, LEASE_LIMITS.seconds],
      });
      if (this.#isOver) return;
      if (rowCount === 0) return this.#lose('another process has it');
      this.#confirm(sentAt);
      this.#renewSoon(LEASE_LIMITS.renewEveryMs);
    } catch {
      // The deadline decides; until then the next attempt may succeed on another connection.
      if (!this.#isOver) this.#renewSoon(LEASE_LIMITS.renewEveryMs / 6);
    }
  }

  get #isOver(): boolean {
    return this.#ended.signal.aborted || this.#lost.signal.aborted;
  }

  #lose(reason: string): void {
    this.#stopTimers();
    if (!this.#isOver) this.#lost.abort(new LeaseLost(this.name, reason));
  }

  #stopTimers(): void {
    clearTimeout(this.#stopTimer);
    clearTimeout(this.#renewTimer);
  }
}
