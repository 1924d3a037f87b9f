import { inTransaction } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { KeyRing } from '../secrets/key-ring.js';

/** A column that holds what a `KeyRing` sealed; empty where there is nothing to seal. */
export interface SealedColumn {
  readonly table: string;
  /** The primary key, one column. */
  readonly id: string;
  readonly column: string;
  /** What a value is bound to, given the row's id. */
  readonly rowOf: (id: string) => string;
}

export interface SealedCount {
  readonly kind: string;
  readonly key_id: string;
  readonly values: number;
}

export interface Resealed {
  readonly resealed: number;
  /** Table, column and id of what does not open: its key is not configured, or it was changed. */
  readonly unopened: readonly string[];
}

/** Everything that a service has sealed: how much lies under which key, and how it comes under the first one. */
export class SealedColumns {
  constructor(
    private readonly pool: pg.Pool,
    readonly keys: KeyRing,
    private readonly columns: readonly SealedColumn[],
  ) {}

  async counts(): Promise<SealedCount[]> {
    const counted = await Promise.all(
      this.columns.map(async ({ table, column }) => {
        const { rows } = await this.pool.query<{ key_id: string; values: string }>(
          `SELECT substring(${column} FROM '^(.*):') AS key_id, count(*) AS values FROM ${table}
           WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`,
        );
        return rows.map(({ key_id, values }) => ({ kind: `${table}.${column}`, key_id, values: Number(values) }));
      }),
    );
    return counted.flat();
  }

  /**
   * Seals up to `limit` values again. Those that do not open stay as they are and keep no other from it; they are passed
   * over at every call, and when `resealed` is 0, `unopened` names all of them.
   */
  async reseal(limit: number): Promise<Resealed> {
    const unopened: string[] = [];
    for (const column of this.columns) {
      let after: string | undefined;
      do {
        const batch = await inTransaction(this.pool, client => this.#resealBatch(client, column, limit, after));
        unopened.push(...batch.unopened.map(id => `${column.table}.${column.column} ${id}`));
        if (batch.resealed > 0) return { resealed: batch.resealed, unopened };
        after = batch.last;
      } while (after !== undefined);
    }
    return { resealed: 0, unopened };
  }

  async #resealBatch(client: pg.ClientBase, of: SealedColumn, limit: number, after: string | undefined) {
    const { table, id, column, rowOf } = of;
    const { rows } = await client.query<{ id: string; sealed: string }>(
      `SELECT ${id} AS id, ${column} AS sealed FROM ${table}
       WHERE ${column} IS NOT NULL AND NOT starts_with(${column}, $1) AND ($3::uuid IS NULL OR ${id} > $3)
       ORDER BY ${id} LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [`${this.keys.firstId}:`, limit, after ?? null],
    );
    const fresh = new Map<string, string>();
    const unopened: string[] = [];
    for (const { id: row, sealed } of rows) {
      const value = this.#open(sealed, rowOf(row));
      if (value === undefined) unopened.push(row);
      else fresh.set(row, this.keys.seal(value, rowOf(row)));
    }
    if (fresh.size > 0)
      await client.query(
        `UPDATE ${table} SET ${column} = fresh.sealed FROM unnest($1::uuid[], $2::text[]) AS fresh (id, sealed)
         WHERE ${table}.${id} = fresh.id`,
        [[...fresh.keys()], [...fresh.values()]],
      );
    return { resealed: fresh.size, unopened, last: rows.at(-1)?.id };
  }

  #open(sealed: string, row: string): string | undefined {
    try {
      return this.keys.open(sealed, row);
    } catch {
      return undefined;
    }
  }
}
