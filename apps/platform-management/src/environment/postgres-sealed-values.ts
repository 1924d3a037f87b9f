import { inTransaction } from '@postern/event-sourcing/postgres';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { type Resealed, SealedValues } from './ports.js';

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

  override reseal(limit: number, after: string | undefined): Promise<Resealed> {
    return inTransaction(this.pool, async client => {
      const { rows } = await client.query<{ id: string; sealed: string }>(
        `SELECT id, sealed FROM sealed_values
         WHERE NOT starts_with(sealed, $1) AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3
         FOR UPDATE SKIP LOCKED`,
        [`${this.keys.firstId}:`, after ?? null, limit],
      );
      const unopened: string[] = [];
      const fresh = new Map<string, string>();
      for (const { id, sealed } of rows) {
        const value = this.#open(id, sealed);
        if (value === undefined) unopened.push(id);
        else fresh.set(id, this.keys.seal(value, sealedValueRow(id)));
      }
      await client.query(
        `UPDATE sealed_values SET sealed = fresh.sealed
         FROM unnest($1::uuid[], $2::text[]) AS fresh (id, sealed) WHERE sealed_values.id = fresh.id`,
        [[...fresh.keys()], [...fresh.values()]],
      );
      return { last: rows.at(-1)?.id, unopened };
    });
  }

  #open(id: string, sealed: string): string | undefined {
    try {
      return this.keys.open(sealed, sealedValueRow(id));
    } catch {
      return undefined;
    }
  }
}
