import { inTransaction } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { KeyRing } from '../secrets/key-ring.js';
import { countByKey, selectByKey, selectOfOtherKeys, updateSealed } from './sealed-columns.sql.js';

/** A column with values encrypted by a `KeyRing`, or null. */
export interface SealedColumn {
  readonly table: string;
  /** The primary key, one column. */
  readonly id: string;
  readonly column: string;
  /** For large tables: a column with the id of the key, indexed together with the primary key. */
  readonly keyColumn?: string;
  /** Whether the column has bytes, whose key is in the key column. */
  readonly bytes?: true;
  /** The row identity to which a value is bound, by row id. */
  readonly rowOf: (id: string) => string;
}

/** The answers of idempotent commands, which may contain a secret that is shown once. For services with encryption keys. */
export const SEALED_ANSWERS: SealedColumn = {
  table: 'event_store.command_claims',
  id: 'token',
  column: 'answer',
  rowOf: token => `command_claims/${token}`,
};

export interface SealedCount {
  readonly kind: string;
  readonly key_id: string;
  readonly values: number;
}

export interface Reencrypted {
  readonly reencrypted: number;
  /** Table, column and id of values that cannot be decrypted: the key is not configured, or the value was changed. */
  readonly unopened: readonly string[];
}

/** The end of a batch. */
interface Position {
  readonly id: string;
  readonly key_id: string;
}

/** Statements that select values of other keys than `$1`. With a key column, each reads a range of the index. */
const selectionsOf = (column: SealedColumn): string[] =>
  column.keyColumn === undefined ? [selectOfOtherKeys(column)] : [selectByKey(column, '<'), selectByKey(column, '>')];

/** All sealed values of a service: counts them by key, and re-encrypts them under the first key. */
export class SealedColumns {
  constructor(
    private readonly pool: pg.Pool,
    readonly keys: KeyRing,
    private readonly columns: readonly SealedColumn[],
  ) {}

  async counts(): Promise<SealedCount[]> {
    const counted = await Promise.all(
      this.columns.map(async sealed => {
        const { table, column } = sealed;
        const { rows } = await this.pool.query<{ key_id: string; values: string }>(countByKey(sealed));
        return rows.map(({ key_id, values }) => ({ kind: `${table}.${column}`, key_id, values: Number(values) }));
      }),
    );
    return counted.flat();
  }

  /**
   * Re-encrypts up to `limit` values. Values that cannot be decrypted are skipped at every call; if `reencrypted` is 0,
   * `unopened` lists all of them.
   */
  async reencrypt(limit: number): Promise<Reencrypted> {
    const unopened: string[] = [];
    for (const column of this.columns) {
      for (const select of selectionsOf(column)) {
        let after: Position | undefined;
        do {
          const batch = await inTransaction(this.pool, client =>
            this.#reencryptBatch(client, column, select, limit, after),
          );
          unopened.push(...batch.unopened.map(id => `${column.table}.${column.column} ${id}`));
          if (batch.reencrypted > 0) return { reencrypted: batch.reencrypted, unopened };
          after = batch.last;
        } while (after !== undefined);
      }
    }
    return { reencrypted: 0, unopened };
  }

  async #reencryptBatch(
    client: pg.ClientBase,
    of: SealedColumn,
    select: string,
    limit: number,
    after: Position | undefined,
  ) {
    const { keyColumn, rowOf } = of;
    const { rows } = await client.query<Position & { sealed: string | Buffer }>(select, [
      this.keys.firstId,
      limit,
      after?.id ?? null,
      after?.key_id ?? '',
    ]);
    const fresh = new Map<string, string | Buffer>();
    const unopened: string[] = [];
    for (const { id: row, key_id, sealed } of rows) {
      const value = this.#sealedAgain(sealed, key_id, rowOf(row));
      if (value === undefined) unopened.push(row);
      else fresh.set(row, value);
    }
    if (fresh.size > 0)
      await client.query(updateSealed(of), [
        [...fresh.keys()],
        [...fresh.values()],
        ...(keyColumn === undefined ? [] : [this.keys.firstId]),
      ]);
    return { reencrypted: fresh.size, unopened, last: rows.at(-1) };
  }

  #sealedAgain(sealed: string | Buffer, keyId: string, row: string): string | Buffer | undefined {
    try {
      return typeof sealed === 'string'
        ? this.keys.seal(this.keys.open(sealed, row), row)
        : this.keys.sealBytes(this.keys.openBytes(keyId, sealed, row), row);
    } catch {
      return undefined;
    }
  }
}
