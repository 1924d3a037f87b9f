import { queryWithin } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { SELECT_TIME } from './session.sql.js';

/** A process whose clock differs from that of PostgreSQL by more than this takes no work. */
export const CLOCK_LIMIT_MS = 5_000;
/** A measurement that took longer says too little. */
const ANSWER_WITHIN_MS = 2_000;

/** What needs only the present time by the clock of PostgreSQL. */
export type DatabaseTime = Pick<DatabaseClock, 'now'>;

export interface DatabaseClockOptions {
  /** The clock of the machine; `Date.now` unless a test sets it. */
  readonly wallClock?: (() => number) | undefined;
}

/**
 * The clock of PostgreSQL, which all replicas share; also the injection token. Between measurements it follows the
 * monotonic clock of this process, so that a change of the clock of this machine does not change it.
 */
export class DatabaseClock {
  readonly #wallClock: () => number;
  #measured: { readonly databaseMs: number; readonly at: number } | undefined;
  #aheadMs = 0;

  constructor(
    private readonly pool: pg.Pool,
    { wallClock = Date.now }: DatabaseClockOptions = {},
  ) {
    this.#wallClock = wallClock;
  }

  /** @throws if it was never measured. */
  now(): Date {
    if (!this.#measured) throw new Error('the clock of PostgreSQL was not measured yet');
    const { databaseMs, at } = this.#measured;
    return new Date(databaseMs + performance.now() - at);
  }

  /** By how much the clock of this machine is ahead of that of PostgreSQL; negative if it is behind. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  get isWrong(): boolean {
    return Math.abs(this.#aheadMs) > CLOCK_LIMIT_MS;
  }

  /** @throws if PostgreSQL does not answer in time. */
  async measure(): Promise<void> {
    const sentAt = performance.now();
    const { rows } = await queryWithin<{ ms: string }>(this.pool, ANSWER_WITHIN_MS, { text: SELECT_TIME });
    const receivedAt = performance.now();
    // The time of the answer lies between sending and receiving; the middle is off by half of that at most.
    const at = (sentAt + receivedAt) / 2;
    const databaseMs = Number(rows[0]?.ms);
    this.#measured = { databaseMs, at };
    const aheadMs = this.#wallClock() - (databaseMs + receivedAt - at);
    const certainMs = Math.max(0, Math.abs(aheadMs) - (receivedAt - sentAt) / 2);
    this.#aheadMs = Math.sign(aheadMs) * certainMs;
  }
}
