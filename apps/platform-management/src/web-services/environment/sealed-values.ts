import { Injectable } from '@nestjs/common';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database, KeyRing } from '@postern/service-host';
import { LOCK_OUTDATED_VALUES, UPDATE_SEALED_VALUES } from './environment.sql.js';
import { type ReencryptedBatch } from './ports.js';

/** The row that the ciphertext of a value is bound to. */
export const sealedValueRow = (id: string): string => `sealed_values/${id}`;

/** Re-encrypts variables, secrets and configurations of releases, which share one table. */
@Injectable()
export class SealedValues {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** Re-encrypts up to `limit` values with the first key, in the order of their ids, after the id `after`. */
  reencrypt(limit: number, after: string | undefined): Promise<ReencryptedBatch> {
    return inTransaction(this.database.pool, async client => {
      const { rows } = await client.query<{ id: string; sealed: string }>(LOCK_OUTDATED_VALUES, [
        `${this.keys.firstId}:`,
        after ?? null,
        limit,
      ]);
      const undecryptable: string[] = [];
      const fresh = new Map<string, string>();
      for (const { id, sealed } of rows) {
        const value = this.#open(id, sealed);
        if (value === undefined) undecryptable.push(id);
        else fresh.set(id, this.keys.seal(value, sealedValueRow(id)));
      }
      await client.query(UPDATE_SEALED_VALUES, [[...fresh.keys()], [...fresh.values()]]);
      return { lastId: rows.at(-1)?.id, undecryptable };
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
