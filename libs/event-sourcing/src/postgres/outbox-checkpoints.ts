import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';
import { inSteps } from './in-steps.js';
import {
  DELETE_GAPS,
  DELETE_TRAIL_AFTER,
  IS_REPEATED_AFTER,
  REPORT_GAP,
  SAVE_BLOCKAGE,
  SAVE_BROKER_FIRST,
  SAVE_CHECKPOINT,
  SAVE_REPETITION,
  SELECT_CHECKPOINT,
  SELECT_GAPS,
  SELECT_TRAIL_AT,
  SHORTEN_TRAIL,
} from './outbox-checkpoints.sql.js';
import { positionBefore } from './position-before.js';
import type { Queryable } from './queryable.js';
import { inTransaction } from './transaction.js';

/** The creation time and the last sequence of the broker's stream. A restart with lost storage changes them. */
export interface BrokerState {
  readonly created: string;
  readonly lastSequence: number;
}

/** The reason why the broker accepts no events although it responds. */
export interface Blockage {
  readonly condition: string;
  readonly reason: string;
  readonly since: Date;
}

/** Events before a position that are published again under new message ids, because a consumer misses them. */
export interface Repetition {
  readonly until: Position;
  readonly id: string;
}

export interface OutboxCheckpoint {
  readonly position: Position;
  readonly broker: BrokerState | undefined;
  readonly blockage: Blockage | undefined;
  readonly repetition: Repetition | undefined;
  /** The first sequence that the broker's stream is known to contain. */
  readonly brokerFirst: number | undefined;
}

/** Sequences of the broker's stream that were lost before a consumer received them. */
export interface Gap {
  readonly consumer: string;
  readonly brokerCreated: string;
  readonly first: number;
  readonly last: number;
}

interface OutboxRow extends Position {
  readonly broker_created: string | null;
  readonly broker_sequence: string;
  readonly blocked_condition: string | null;
  readonly blocked_reason: string | null;
  readonly blocked_since: Date | null;
  readonly repeat_txid: string | null;
  readonly repeat_pos: string | null;
  readonly repeat_id: string | null;
  readonly broker_first: string | null;
}

/**
 * The trail maps sequences to positions. One step per second suffices, because consumers ignore repeated events; one
 * day covers the unsynced minutes of a broker.
 */
const TRAIL_STEP_MS = 1_000;
const TRAIL_DAYS = 1;
const SHORTEN_EVERY_STEPS = 1_000;
const DAY_MS = 86_400_000;

const FRESH: OutboxCheckpoint = {
  position: BEGINNING,
  broker: undefined,
  blockage: undefined,
  repetition: undefined,
  brokerFirst: undefined,
};

/** The position up to which the relay has published, and the positions of earlier sequences of the broker. */
export class OutboxCheckpoints {
  #steps = 0;
  #lastStepAt = 0;

  constructor(
    private readonly pool: pg.Pool,
    private readonly name: string,
  ) {}

  async load(): Promise<OutboxCheckpoint> {
    const { rows } = await this.pool.query<OutboxRow>(SELECT_CHECKPOINT, [this.name]);
    const row = rows[0];
    if (!row) return FRESH;
    const { blocked_condition: condition, blocked_reason: reason, blocked_since: since } = row;
    return {
      position: { txid: row.txid, pos: row.pos },
      broker: row.broker_created
        ? { created: row.broker_created, lastSequence: Number(row.broker_sequence) }
        : undefined,
      blockage: condition && reason && since ? { condition, reason, since } : undefined,
      repetition:
        row.repeat_txid && row.repeat_pos && row.repeat_id
          ? { until: { txid: row.repeat_txid, pos: row.repeat_pos }, id: row.repeat_id }
          : undefined,
      brokerFirst: row.broker_first === null ? undefined : Number(row.broker_first),
    };
  }

  async saveBrokerFirst(sequence: number | undefined): Promise<void> {
    await this.pool.query(SAVE_BROKER_FIRST, [this.name, sequence ?? null]);
  }

  /** Whether everything from a position on was published again after a sequence. */
  async isRepeatedAfter(sequence: number, { txid, pos }: Position): Promise<boolean> {
    const { rows } = await this.pool.query<{ found: boolean }>(IS_REPEATED_AFTER, [this.name, sequence, txid, pos]);
    return rows[0]?.found ?? false;
  }

  /** Saves the reason why the leader cannot publish; undefined if it can. */
  async saveBlockage(blockage: Blockage | undefined): Promise<void> {
    await this.pool.query(SAVE_BLOCKAGE, [
      this.name,
      blockage?.condition ?? null,
      blockage?.reason ?? null,
      blockage?.since ?? null,
    ]);
  }

  /** Saves a gap until the leader has published its events again. */
  async reportGap({ consumer, brokerCreated, first, last }: Gap): Promise<void> {
    await this.pool.query(REPORT_GAP, [this.name, consumer, brokerCreated, first, last]);
  }

  async gaps(): Promise<Gap[]> {
    const { rows } = await this.pool.query<{ consumer: string; created: string; first: string; last: string }>({
      name: 'event-store-outbox-gaps',
      text: SELECT_GAPS,
      values: [this.name],
    });
    return rows.map(({ consumer, created, first, last }) => ({
      consumer,
      brokerCreated: created,
      first: Number(first),
      last: Number(last),
    }));
  }

  /** Moves back to publish gaps again, and deletes their reports, in one transaction. */
  async goBack(
    gaps: readonly Gap[],
    target: Position,
    broker: BrokerState | undefined,
    repetition: Repetition | undefined,
  ): Promise<void> {
    await inTransaction(this.pool, async client => {
      await client.query(DELETE_GAPS, [
        this.name,
        gaps.map(({ consumer }) => consumer),
        gaps.map(({ brokerCreated }) => brokerCreated),
        gaps.map(({ first }) => first),
        gaps.map(({ last }) => last),
      ]);
      await client.query(SAVE_REPETITION, [
        this.name,
        repetition?.until.txid ?? null,
        repetition?.until.pos ?? null,
        repetition?.id ?? null,
      ]);
      await this.#write(target, broker, true, client);
    });
  }

  async save(position: Position, broker: BrokerState | undefined): Promise<void> {
    const isStep = Date.now() - this.#lastStepAt >= TRAIL_STEP_MS;
    await this.#write(position, broker, isStep);
    if (!isStep) return;
    this.#lastStepAt = Date.now();
    if (++this.#steps % SHORTEN_EVERY_STEPS === 0) await this.#shorten();
  }

  /** Moves back to a position and deletes the trail after the sequence that is certainly kept. */
  async rewind(position: Position, broker: BrokerState | undefined, kept: number): Promise<void> {
    await this.pool.query(DELETE_TRAIL_AFTER, [this.name, broker ? kept : -1]);
    await this.#write(position, broker, true);
  }

  async #write(
    { txid, pos }: Position,
    broker: BrokerState | undefined,
    isStep: boolean,
    db: Queryable = this.pool,
  ): Promise<void> {
    await db.query({
      name: 'event-store-save-outbox',
      text: SAVE_CHECKPOINT,
      values: [this.name, txid, pos, broker?.created ?? null, broker?.lastSequence ?? 0, isStep],
    });
  }

  /** The last position whose events the broker certainly has; undefined when the trail does not reach that far back. */
  async lastCertain(sequence: number): Promise<Position | undefined> {
    const { rows } = await this.pool.query<Position>(SELECT_TRAIL_AT, [this.name, sequence]);
    return rows[0];
  }

  /** A position before all events of the last days. */
  async daysAgo(days: number): Promise<Position> {
    return positionBefore(this.pool, new Date(Date.now() - days * DAY_MS));
  }

  async #shorten(): Promise<void> {
    await inSteps(this.pool, SHORTEN_TRAIL, [this.name, TRAIL_DAYS]);
  }
}
