import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';

/** When the broker's stream was made and how many messages it has taken: what a restart with lost storage changes. */
export interface BrokerState {
  readonly created: string;
  readonly lastSequence: number;
}

export interface OutboxCheckpoint {
  readonly position: Position;
  readonly broker: BrokerState | undefined;
}

/**
 * One step of the trail a second is enough: going back a second too far only publishes again what consumers know. A
 * day of it reaches further back than a broker's unsynced minutes.
 */
const TRAIL_STEP_MS = 1_000;
const TRAIL_DAYS = 1;
const SHORTEN_EVERY_STEPS = 1_000;

/** How far the relay came, and where it was when the broker stood at which message. */
export class OutboxCheckpoints {
  private steps = 0;
  private lastStepAt = 0;

  constructor(
    private readonly pool: pg.Pool,
    private readonly name: string,
  ) {}

  async load(): Promise<OutboxCheckpoint> {
    const { rows } = await this.pool.query<Position & { broker_created: string | null; broker_sequence: string }>(
      'SELECT txid::text AS txid, pos::text AS pos, broker_created, broker_sequence FROM event_store.outbox WHERE name = $1',
      [this.name],
    );
    const row = rows[0];
    if (!row) return { position: BEGINNING, broker: undefined };
    return {
      position: { txid: row.txid, pos: row.pos },
      broker: row.broker_created
        ? { created: row.broker_created, lastSequence: Number(row.broker_sequence) }
        : undefined,
    };
  }

  async save(position: Position, broker: BrokerState | undefined): Promise<void> {
    const isStep = Date.now() - this.lastStepAt >= TRAIL_STEP_MS;
    await this.write(position, broker, isStep);
    if (!isStep) return;
    this.lastStepAt = Date.now();
    if (++this.steps % SHORTEN_EVERY_STEPS === 0) await this.shorten();
  }

  /** Goes back to a position and forgets the steps after the sequence that was surely kept. */
  async rewind(position: Position, broker: BrokerState | undefined, kept: number): Promise<void> {
    await this.pool.query('DELETE FROM event_store.outbox_trail WHERE name = $1 AND broker_sequence > $2', [
      this.name,
      broker ? kept : -1,
    ]);
    await this.write(position, broker, true);
  }

  private async write({ txid, pos }: Position, broker: BrokerState | undefined, isStep: boolean): Promise<void> {
    await this.pool.query({
      name: 'event-store-save-outbox',
      text: `
        WITH trail AS (
          INSERT INTO event_store.outbox_trail (name, broker_sequence, txid, pos)
          SELECT $1, $5::bigint, $2::xid8, $3::bigint WHERE $6::boolean
          ON CONFLICT (name, broker_sequence) DO UPDATE SET txid = excluded.txid, pos = excluded.pos, saved_at = now()
        )
        INSERT INTO event_store.outbox (name, txid, pos, broker_created, broker_sequence)
        VALUES ($1, $2::xid8, $3::bigint, $4, $5::bigint)
        ON CONFLICT (name) DO UPDATE SET txid = excluded.txid, pos = excluded.pos,
          broker_created = excluded.broker_created, broker_sequence = excluded.broker_sequence`,
      values: [this.name, txid, pos, broker?.created ?? null, broker?.lastSequence ?? 0, isStep],
    });
  }

  /** The furthest position whose events the broker surely still has; undefined when the trail does not reach back so far. */
  async lastCertain(sequence: number): Promise<Position | undefined> {
    const { rows } = await this.pool.query<Position>(
      `SELECT t.txid::text AS txid, t.pos::text AS pos FROM event_store.outbox_trail t
       WHERE name = $1 AND broker_sequence <= $2 ORDER BY broker_sequence DESC LIMIT 1`,
      [this.name, sequence],
    );
    return rows[0];
  }

  /** The last position before everything of the last days. */
  async daysAgo(days: number): Promise<Position> {
    const { rows } = await this.pool.query<Position>(
      `SELECT e.txid::text AS txid, e.pos::text AS pos FROM event_store.events e
       WHERE occurred_at < now() - make_interval(days => $1) ORDER BY e.txid DESC, e.pos DESC LIMIT 1`,
      [days],
    );
    return rows[0] ?? BEGINNING;
  }

  private async shorten(): Promise<void> {
    await this.pool.query(
      'DELETE FROM event_store.outbox_trail WHERE name = $1 AND saved_at < now() - make_interval(days => $2)',
      [this.name, TRAIL_DAYS],
    );
  }
}
