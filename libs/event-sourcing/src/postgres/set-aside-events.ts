import type pg from 'pg';
import { type EventTransaction, inEventTransaction } from './event-transaction.js';
import {
  DISCARD,
  ERASE,
  FAILED_AGAIN,
  KEEP,
  LIST,
  REMOVE,
  RETRY_NOW,
  SELECT_WITH_TRACES,
  TAKE_DUE,
} from './set-aside-events.sql.js';

/** A published event as a consumer received it. */
interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
}

export interface SetAsideReport {
  readonly consumer: string;
  readonly eventId: string;
  readonly type: string;
  readonly failures: number;
  readonly lastError: string;
  readonly setAsideAt: Date;
  readonly retryAt: Date;
}

interface DueEvent<Envelope> {
  readonly consumer: string;
  readonly envelope: Envelope;
  readonly failures: number;
}

/**
 * Events that a consumer of this service could not handle, until they are handled or an operator discards them.
 * @typeParam Envelope the event that a consumer receives; stored as JSON.
 */
export class PostgresSetAsideEvents<Envelope extends ReceivedEvent> {
  constructor(private readonly pool: pg.Pool) {}

  /** Stores an event in the transaction that moves the position past it. Does nothing for one that is set aside already. */
  async keep(
    { client }: EventTransaction,
    consumer: string,
    envelope: Envelope,
    failure: { error: string; retryAfterMs: number },
  ): Promise<void> {
    await client.query(KEEP, [
      consumer,
      envelope.id,
      envelope.type,
      JSON.stringify(envelope),
      failure.error,
      failure.retryAfterMs,
    ]);
  }

  /** The oldest event of a consumer that is due; no other replica receives it within `leaseMs`. */
  async takeDue(consumer: string, leaseMs: number): Promise<DueEvent<Envelope> | undefined> {
    const { rows } = await this.pool.query<DueEvent<Envelope>>({
      name: 'set-aside-take-due',
      text: TAKE_DUE,
      values: [consumer, leaseMs],
    });
    return rows[0];
  }

  async failedAgain(
    consumer: string,
    eventId: string,
    failure: { error: string; retryAfterMs: number },
  ): Promise<void> {
    await this.pool.query(FAILED_AGAIN, [consumer, eventId, failure.error, failure.retryAfterMs]);
  }

  /**
   * Removes the event in one transaction with its effect.
   * @returns false, with nothing written, if it was discarded or handled meanwhile.
   */
  settle(
    consumer: string,
    eventId: string,
    effect: (transaction: EventTransaction) => Promise<void>,
  ): Promise<boolean> {
    return inEventTransaction(this.pool, async transaction => {
      await effect(transaction);
      return (await transaction.client.query(REMOVE, [consumer, eventId])).rowCount === 1;
    });
  }

  /** Up to `limit` events, the oldest first, and the total number. */
  async list(limit: number): Promise<{ readonly events: readonly SetAsideReport[]; readonly total: number }> {
    const { rows } = await this.pool.query<SetAsideReport & { total: string }>(LIST, [limit]);
    return { events: rows, total: Number(rows[0]?.total ?? 0) };
  }

  /**
   * Makes the event due now.
   * @returns the number of consumers that had set it aside.
   */
  async retryNow(eventId: string): Promise<number> {
    const { rowCount } = await this.pool.query(RETRY_NOW, [eventId]);
    return rowCount ?? 0;
  }

  /**
   * Deletes the event unhandled.
   * @returns the consumers that had set it aside.
   */
  async discard(eventId: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ consumer: string }>(DISCARD, [eventId]);
    return rows.map(({ consumer }) => consumer);
  }

  /**
   * Erases personal data from set-aside events that contain one of `traces`, within `tx`. Errors of handlers are
   * deleted, because they may quote it.
   * @returns how many events were rewritten.
   */
  static async erase(
    tx: Pick<pg.ClientBase, 'query'>,
    traces: readonly string[],
    without: (envelope: unknown) => unknown,
  ): Promise<number> {
    const { rows } = await tx.query<{ consumer: string; event_id: string; envelope: unknown }>(SELECT_WITH_TRACES, [
      traces,
    ]);
    let erased = 0;
    for (const { consumer, event_id, envelope } of rows) {
      const rewritten = without(envelope);
      const { rowCount } = await tx.query(ERASE, [consumer, event_id, JSON.stringify(rewritten ?? envelope)]);
      erased += rowCount ?? 0;
    }
    return erased;
  }
}
