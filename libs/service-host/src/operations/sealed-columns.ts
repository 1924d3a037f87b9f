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

  /** Seals up to `limit` values again. @returns how many; 0 when nothing lies under an older key any more. */
  async reseal(limit: number): Promise<number> {
    for (const column of this.columns) {
      const resealed = await inTransaction(this.pool, client => this.resealColumn(client, column, limit));
      if (resealed > 0) return resealed;
    }
    return 0;
  }

  private async resealColumn(client: pg.ClientBase, { table, id, column, rowOf }: SealedColumn, limit: number) {
    const { rows } = await client.query<{ id: string; sealed: string }>(
      `SELECT ${id} AS id, ${column} AS sealed FROM ${table}
       WHERE ${column} IS NOT NULL AND NOT starts_with(${column}, $1) ORDER BY ${id} LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [`${this.keys.firstId}:`, limit],
    );
    const fresh = rows.map(({ id: row, sealed }) => this.keys.seal(this.keys.open(sealed, rowOf(row)), rowOf(row)));
    if (rows.length > 0)
      await client.query(
        `UPDATE ${table} SET ${column} = fresh.sealed FROM unnest($1::uuid[], $2::text[]) AS fresh (id, sealed)
         WHERE ${table}.${id} = fresh.id`,
        [rows.map(row => row.id), fresh],
      );
    return rows.length;
  }
}
