import type pg from 'pg';
import type { Position } from '../event.js';
import {
  COUNT_ERASED_ROWS,
  DELETE_FINISHED_REBUILDS,
  NOTE_REBUILDS,
  SELECT_CHANGED_TABLES,
  SELECT_ERASED_ROWS,
  SELECT_REBUILDS,
  SELECT_UNREAD_BY,
} from './erasure-notes.sql.js';

/** Number of rows by kind; the kind of a table is its name. */
export type ErasedRows = Readonly<Record<string, number>>;

interface Projected {
  readonly projection: string;
  readonly rebuilt: boolean;
}

/** The changes of an erasure in a database, and the read models that still contain erased data. */
export class ErasureNotes {
  constructor(
    private readonly pool: pg.Pool,
    private readonly notedAs: string,
  ) {}

  /** Adds to the counts, in the transaction of the erasure. */
  static async count(client: pg.ClientBase, notedAs: string, erased: ErasedRows): Promise<void> {
    const counted = Object.entries(erased).filter(([, rows]) => rows > 0);
    if (counted.length === 0) return;
    await client.query(COUNT_ERASED_ROWS, [notedAs, counted.map(([kind]) => kind), counted.map(([, rows]) => rows)]);
  }

  /**
   * Records read models that contain erased data, in the transaction of the erasure. A generation that is being built may
   * have read the old events, so it does not count as rebuilt.
   */
  static async requireRebuilds(client: pg.ClientBase, notedAs: string, projections: readonly string[]): Promise<void> {
    if (projections.length === 0) return;
    await client.query(NOTE_REBUILDS, [notedAs, projections]);
  }

  async counts(): Promise<ErasedRows> {
    const { rows } = await this.pool.query<{ kind: string; rows: string }>(SELECT_ERASED_ROWS, [this.notedAs]);
    return Object.fromEntries(rows.map(({ kind, rows: count }) => [kind, Number(count)]));
  }

  /** Read models that still have to be rebuilt. */
  async staleReadModels(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<Projected>(SELECT_REBUILDS, [this.notedAs]);
    const rebuilt = rows.filter(row => row.rebuilt).map(({ projection }) => projection);
    await this.pool.query(DELETE_FINISHED_REBUILDS, [this.notedAs, rebuilt]);
    return rows.filter(row => !row.rebuilt).map(({ projection }) => projection);
  }

  /**
   * A consumer that may still handle events that it read before a position; undefined when there is none. One that has not
   * asked for `awayMs` handles nothing.
   */
  async unreadBy({ txid, pos }: Position, awayMs: number): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ reader: string }>(SELECT_UNREAD_BY, [txid, pos, awayMs]);
    return rows[0]?.reader;
  }

  /** Vacuums the changed tables, which removes the old row versions from their files. Skips locked tables. */
  async vacuum(): Promise<void> {
    const { rows } = await this.pool.query<{ name: string }>(SELECT_CHANGED_TABLES, [this.notedAs]);
    const client = await this.pool.connect();
    try {
      await client.query('SET statement_timeout = 0');
      for (const { name } of rows) await client.query(`VACUUM (SKIP_LOCKED) ${name}`);
    } finally {
      // Closes the connection, because its setting was changed.
      client.release(true);
    }
  }
}
