import type pg from 'pg';
import type { LogPosition } from './event-log.js';
import { type EventTransaction, inEventTransaction } from './event-transaction.js';
import { MOVE_POSITION, SELECT_POSITION, SELECT_RESTARTS } from './follower-positions.sql.js';
import { withLeadership } from './leadership.js';
import type { Queryable } from './queryable.js';

export interface FollowerMove {
  readonly from: LogPosition | null;
  readonly to: LogPosition | null;
  /** The log of the source was restored and did not hold `from`. */
  readonly restarted: boolean;
}

export interface Restart {
  readonly consumer: string;
  readonly source: string;
  readonly restartedAt: Date;
}

/** The positions of a service in the logs of other services, in its own database. */
export class FollowerPositions {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * Runs `follow` in one replica at a time.
   * @returns false, without calling it, when another replica follows.
   */
  lead(consumer: string, stop: AbortSignal, follow: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
    return withLeadership(this.pool, `follower ${consumer}`, stop, follow);
  }

  /** Null for a consumer that has read nothing; undefined for one that is new. */
  async load(consumer: string, source: string): Promise<LogPosition | null | undefined> {
    const { rows } = await this.pool.query<{ [Column in keyof LogPosition]: string | null }>({
      name: 'event-store-follower',
      text: SELECT_POSITION,
      values: [consumer, source],
    });
    const row = rows[0];
    if (!row) return undefined;
    return row.epoch && row.event_id ? (row as LogPosition) : null;
  }

  /**
   * Moves the position, in one transaction with the effect of the events that it passes.
   * @returns false, with nothing written, when another process has moved the position meanwhile.
   */
  move(
    consumer: string,
    source: string,
    move: FollowerMove,
    effect?: (transaction: EventTransaction) => Promise<void>,
  ): Promise<boolean> {
    if (!effect) return isMoved(this.pool, consumer, source, move);
    return inEventTransaction(this.pool, async transaction => {
      await effect(transaction);
      // Last, because a transaction must not write before it has locked the streams that it appends to.
      return isMoved(transaction.client, consumer, source, move);
    });
  }

  /** Runs `effect` in a transaction that is undone. */
  async rehearse(effect: (transaction: EventTransaction) => Promise<void>): Promise<void> {
    await inEventTransaction(this.pool, async transaction => {
      await effect(transaction);
      return false;
    });
  }

  /** The consumers that had to go back because the log of their source was restored in the last days. */
  async restarts(days: number): Promise<readonly Restart[]> {
    return (await this.pool.query<Restart>(SELECT_RESTARTS, [days])).rows;
  }
}

const isMoved = async (
  db: Queryable,
  consumer: string,
  source: string,
  { from, to, restarted }: FollowerMove,
): Promise<boolean> => {
  const { rowCount } = await db.query({
    name: 'event-store-move-follower',
    text: MOVE_POSITION,
    values: [
      consumer,
      source,
      to?.epoch ?? null,
      to?.txid ?? '0',
      to?.pos ?? '0',
      to?.event_id ?? null,
      from?.event_id ?? null,
      restarted,
    ],
  });
  return rowCount === 1;
};
