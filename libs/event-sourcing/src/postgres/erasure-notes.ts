import type pg from 'pg';
import { BEGINNING, comparePositions, type Position } from '../event.js';
import {
  COUNT_ERASED_ROWS,
  DELETE_FINISHED_REBUILDS,
  IS_RELAYED_UP_TO,
  NOTE_REBUILDS,
  SELECT_CHANGED_TABLES,
  SELECT_ERASED_ROWS,
  SELECT_REBUILDS,
} from './erasure-notes.sql.js';

/** Rows by kind; the kind of a table is its name. */
export type ErasedRows = Readonly<Record<string, number>>;

interface Projected {
  readonly projection: string;
  readonly rebuilt: boolean;
}

/** What one erasure has changed in a database, and which read models still hold what the log no longer says. */
export class ErasureNotes {
  constructor(
    private readonly pool: pg.Pool,
    private readonly notedAs: string,
  ) {}

  /** Adds to the counts, in the transaction that erased. */
  static async count(client: pg.ClientBase, notedAs: string, erased: ErasedRows): Promise<void> {
    const counted = Object.entries(erased).filter(([, rows]) => rows > 0);
    if (counted.length === 0) return;
    await client.query(COUNT_ERASED_ROWS, [notedAs, counted.map(([kind]) => kind), counted.map(([, rows]) => rows)]);
  }

  /**
   * Notes read models that hold erased data, in the transaction that erased it. A generation that is being built at
   * this moment may have read the old events, so it does not count as rebuilt.
   */
  static async requireRebuilds(client: pg.ClientBase, notedAs: string, projections: readonly string[]): Promise<void> {
    if (projections.length === 0) return;
    await client.query(NOTE_REBUILDS, [notedAs, projections]);
  }

  async counts(): Promise<ErasedRows> {
    const { rows } = await this.pool.query<{ kind: string; rows: string }>(SELECT_ERASED_ROWS, [this.notedAs]);
    return Object.fromEntries(rows.map(({ kind, rows: count }) => [kind, Number(count)]));
  }

  /** Read models that have to be rebuilt; those that were are forgotten. */
  async staleReadModels(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<Projected>(SELECT_REBUILDS, [this.notedAs]);
    const rebuilt = rows.filter(row => row.rebuilt).map(({ projection }) => projection);
    await this.pool.query(DELETE_FINISHED_REBUILDS, [this.notedAs, rebuilt]);
    return rows.filter(row => !row.rebuilt).map(({ projection }) => projection);
  }

  /** Whether the outbox relay has published everything up to a position. */
  async isRelayedUpTo({ txid, pos }: Position): Promise<boolean> {
    if (comparePositions({ txid, pos }, BEGINNING) === 0) return true;
    const { rows } = await this.pool.query<{ reached: boolean }>(IS_RELAYED_UP_TO, [txid, pos]);
    return rows[0]?.reached ?? false;
  }

  /** Frees the old versions of erased rows, which stay in the tables' files until then. Skips what is being vacuumed. */
  async vacuum(): Promise<void> {
    const { rows } = await this.pool.query<{ name: string }>(SELECT_CHANGED_TABLES, [this.notedAs]);
    const client = await this.pool.connect();
    try {
      await client.query('SET statement_timeout = 0');
      for (const { name } of rows) await client.query(`VACUUM (SKIP_LOCKED) ${name}`);
    } finally {
      // The connection goes with its setting.
      client.release(true);
    }
  }
}
