import type pg from 'pg';
import { BEGINNING, comparePositions, type Position } from '../event.js';

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
    await client.query(
      `INSERT INTO event_store.erased_rows AS known (noted_as, kind, rows)
       SELECT $1, kind, rows FROM unnest($2::text[], $3::bigint[]) AS counted (kind, rows)
       ON CONFLICT (noted_as, kind) DO UPDATE SET rows = known.rows + excluded.rows`,
      [notedAs, counted.map(([kind]) => kind), counted.map(([, rows]) => rows)],
    );
  }

  /**
   * Notes read models that hold erased data, in the transaction that erased it. A generation that is being built at
   * this moment may have read the old events, so it does not count as rebuilt.
   */
  static async requireRebuilds(client: pg.ClientBase, notedAs: string, projections: readonly string[]): Promise<void> {
    if (projections.length === 0) return;
    await client.query(
      `INSERT INTO event_store.erasure_rebuilds (noted_as, projection, generation)
       SELECT $1, name, max(generation) FROM event_store.projections WHERE name = ANY ($2) GROUP BY name
       ON CONFLICT (noted_as, projection) DO UPDATE SET generation = excluded.generation`,
      [notedAs, projections],
    );
  }

  async counts(): Promise<ErasedRows> {
    const { rows } = await this.pool.query<{ kind: string; rows: string }>(
      'SELECT kind, rows FROM event_store.erased_rows WHERE noted_as = $1 ORDER BY kind',
      [this.notedAs],
    );
    return Object.fromEntries(rows.map(({ kind, rows: count }) => [kind, Number(count)]));
  }

  /** Read models that have to be rebuilt; those that were are forgotten. */
  async staleReadModels(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<Projected>(
      `SELECT r.projection, p.generation > r.generation AS rebuilt FROM event_store.erasure_rebuilds r
       JOIN event_store.projections p ON p.name = r.projection AND p.live
       WHERE r.noted_as = $1 ORDER BY r.projection`,
      [this.notedAs],
    );
    const rebuilt = rows.filter(row => row.rebuilt).map(({ projection }) => projection);
    await this.pool.query(
      `DELETE FROM event_store.erasure_rebuilds r USING event_store.projections p
       WHERE r.noted_as = $1 AND r.projection = ANY ($2) AND p.name = r.projection AND p.live
         AND p.generation > r.generation`,
      [this.notedAs, rebuilt],
    );
    return rows.filter(row => !row.rebuilt).map(({ projection }) => projection);
  }

  /** Whether the outbox relay has published everything up to a position. */
  async isRelayedUpTo({ txid, pos }: Position): Promise<boolean> {
    if (comparePositions({ txid, pos }, BEGINNING) === 0) return true;
    const { rows } = await this.pool.query<{ reached: boolean }>(
      'SELECT bool_and((txid, pos) >= ($1::xid8, $2::bigint)) AS reached FROM event_store.outbox',
      [txid, pos],
    );
    return rows[0]?.reached ?? false;
  }

  /** Frees the old versions of erased rows, which stay in the tables' files until then. Skips what is being vacuumed. */
  async vacuum(): Promise<void> {
    const { rows } = await this.pool.query<{ name: string }>(
      `SELECT DISTINCT to_regclass(CASE kind WHEN 'events' THEN 'event_store.events' ELSE quote_ident(kind) END)::text
         AS name
       FROM event_store.erased_rows
       WHERE noted_as = $1 AND to_regclass(CASE kind WHEN 'events' THEN 'event_store.events' ELSE quote_ident(kind) END)
         IS NOT NULL`,
      [this.notedAs],
    );
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
