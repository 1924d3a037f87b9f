import { inTransaction } from '@postern/event-sourcing/postgres';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { SealedValues } from '../../ports/resources.js';

/** What a sealed value is bound to. */
export const sealedValueRow = (id: string): string => `sealed_values/${id}`;

/** Values of variables, of secrets and of releases' configurations, in one table and under the same keys. */
export class SealedValueRows extends SealedValues {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  override reseal(limit: number): Promise<number> {
    return inTransaction(this.pool, async client => {
      const { rows } = await client.query<{ id: string; sealed: string }>(
        `SELECT id, sealed FROM sealed_values WHERE NOT starts_with(sealed, $1) ORDER BY id LIMIT $2
         FOR UPDATE SKIP LOCKED`,
        [`${this.keys.firstId}:`, limit],
      );
      const fresh = rows.map(({ id, sealed }) => {
        const row = sealedValueRow(id);
        return this.keys.seal(this.keys.open(sealed, row), row);
      });
      await client.query(
        `UPDATE sealed_values SET sealed = fresh.sealed
         FROM unnest($1::uuid[], $2::text[]) AS fresh (id, sealed) WHERE sealed_values.id = fresh.id`,
        [rows.map(({ id }) => id), fresh],
      );
      return rows.length;
    });
  }
}
