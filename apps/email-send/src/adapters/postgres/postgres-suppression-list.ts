import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { SuppressionList, type SuppressionNote } from '../../ports.js';

/** Our copy of delivery-tracking's suppression lists. A lifted address keeps its row, against older words that come late. */
@Injectable()
export class PostgresSuppressionList extends SuppressionList {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ address: string }>({
      name: 'suppressed-among',
      text: 'SELECT address FROM suppressed_addresses WHERE service_id = $1 AND address = ANY($2) AND NOT lifted',
      values: [serviceId, addresses],
    });
    return new Set(rows.map(({ address }) => address));
  }

  async note(changes: readonly SuppressionNote[]): Promise<void> {
    await this.pool.query(
      `INSERT INTO suppressed_addresses AS known (service_id, address, lifted, told_at)
       SELECT DISTINCT ON (service, address) service, address, lifted, told_at
       FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::timestamptz[]) AS told (service, address, lifted, told_at)
       ORDER BY service, address, told_at DESC
       ON CONFLICT (service_id, address) DO UPDATE SET lifted = excluded.lifted, told_at = excluded.told_at
         WHERE known.told_at < excluded.told_at`,
      [
        changes.map(({ serviceId }) => serviceId),
        changes.map(({ address }) => address),
        changes.map(({ isSuppressed }) => !isSuppressed),
        changes.map(({ at }) => at),
      ],
    );
  }
}
