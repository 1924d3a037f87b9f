import type pg from 'pg';

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

/**
 * Events that a consumer of this service could not handle, until they are handled or an operator discards them.
 * @typeParam Envelope what a consumer receives; stored as JSON.
 */
export class PostgresSetAsideEvents<Envelope extends ReceivedEvent> {
  constructor(private readonly pool: pg.Pool) {}

  /** An event that is set aside already is left as it is. */
  async keep(consumer: string, envelope: Envelope, failure: { error: string; retryAfterMs: number }): Promise<void> {
    await this.pool.query(
      `INSERT INTO event_store.set_aside_events (consumer, event_id, type, envelope, failures, last_error, retry_at)
       VALUES ($1, $2, $3, $4, 1, $5, now() + make_interval(secs => $6::float / 1000)) ON CONFLICT DO NOTHING`,
      [consumer, envelope.id, envelope.type, JSON.stringify(envelope), failure.error, failure.retryAfterMs],
    );
  }

  /** Events whose time has come, the oldest first; nobody else gets them within `leaseMs`. */
  async takeDue(consumer: string, limit: number, leaseMs: number): Promise<{ envelope: Envelope; failures: number }[]> {
    const { rows } = await this.pool.query<{ envelope: Envelope; failures: number }>(
      `UPDATE event_store.set_aside_events e SET retry_at = now() + make_interval(secs => $3::float / 1000)
       FROM (
         SELECT consumer, event_id FROM event_store.set_aside_events
         WHERE consumer = $1 AND retry_at <= now() ORDER BY set_aside_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ) due
       WHERE e.consumer = due.consumer AND e.event_id = due.event_id RETURNING e.envelope, e.failures`,
      [consumer, limit, leaseMs],
    );
    return rows;
  }

  async failedAgain(
    consumer: string,
    eventId: string,
    failure: { error: string; retryAfterMs: number },
  ): Promise<void> {
    await this.pool.query(
      `UPDATE event_store.set_aside_events SET failures = failures + 1, last_error = $3,
         retry_at = now() + make_interval(secs => $4::float / 1000)
       WHERE consumer = $1 AND event_id = $2`,
      [consumer, eventId, failure.error, failure.retryAfterMs],
    );
  }

  async remove(consumer: string, eventId: string): Promise<void> {
    await this.pool.query('DELETE FROM event_store.set_aside_events WHERE consumer = $1 AND event_id = $2', [
      consumer,
      eventId,
    ]);
  }

  /** The oldest first, at most `limit`, and how many there are in all. */
  async list(limit: number): Promise<{ readonly events: readonly SetAsideReport[]; readonly total: number }> {
    const { rows } = await this.pool.query<SetAsideReport & { total: string }>(
      `SELECT consumer, event_id AS "eventId", type, failures, last_error AS "lastError",
         set_aside_at AS "setAsideAt", retry_at AS "retryAt", count(*) OVER () AS total
       FROM event_store.set_aside_events ORDER BY set_aside_at, event_id LIMIT $1`,
      [limit],
    );
    return { events: rows, total: Number(rows[0]?.total ?? 0) };
  }

  /** Has the event handled again now, by whichever replica. @returns how many consumers had set it aside. */
  async retryNow(eventId: string): Promise<number> {
    const { rowCount } = await this.pool.query(
      'UPDATE event_store.set_aside_events SET retry_at = now() WHERE event_id = $1',
      [eventId],
    );
    return rowCount ?? 0;
  }

  /** Forgets the event unhandled. @returns the consumers that had set it aside. */
  async discard(eventId: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ consumer: string }>(
      'DELETE FROM event_store.set_aside_events WHERE event_id = $1 RETURNING consumer',
      [eventId],
    );
    return rows.map(({ consumer }) => consumer);
  }

  /**
   * Rewrites the events that hold one of `traces`, within `tx`. What a handler said about them is deleted, since it may
   * quote them. @returns how many events were rewritten.
   */
  static async erase(
    tx: Pick<pg.ClientBase, 'query'>,
    traces: readonly string[],
    without: (envelope: unknown) => unknown,
  ): Promise<number> {
    const { rows } = await tx.query<{ consumer: string; event_id: string; envelope: unknown }>(
      `SELECT consumer, event_id, envelope FROM event_store.set_aside_events
       WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace
                     WHERE strpos(lower(envelope::text || last_error), trace) > 0) FOR UPDATE`,
      [traces],
    );
    let erased = 0;
    for (const { consumer, event_id, envelope } of rows) {
      const rewritten = without(envelope);
      const { rowCount } = await tx.query(
        `UPDATE event_store.set_aside_events SET envelope = $3, last_error = ''
         WHERE consumer = $1 AND event_id = $2 AND (envelope <> $3::jsonb OR last_error <> '')`,
        [consumer, event_id, JSON.stringify(rewritten ?? envelope)],
      );
      erased += rowCount ?? 0;
    }
    return erased;
  }
}
