import type pg from 'pg';
import { SuppressionList, SuppressionRecord, type SuppressionWord } from '../../ports.js';

/** What a send asks; one prepared query. */
export class PostgresSuppressionList extends SuppressionList {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ address: string }>({
      name: 'suppressed-among',
      text: 'SELECT address FROM suppressed_addresses WHERE service_id = $1 AND address = ANY ($2) AND NOT lifted',
      values: [serviceId, addresses],
    });
    return new Set(rows.map(({ address }) => address));
  }
}

/** A lifted address keeps its row, so that an older word that comes late does not list it again. */
export class PostgresSuppressionRecord extends SuppressionRecord {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async note(words: readonly SuppressionWord[]): Promise<void> {
    await this.pool.query(
      `INSERT INTO suppressed_addresses AS a (service_id, address, lifted, told_at)
       SELECT DISTINCT ON (s, w) s, w, l, t
       FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::timestamptz[]) AS told (s, w, l, t)
       ORDER BY s, w, t DESC
       ON CONFLICT (service_id, address) DO UPDATE SET lifted = excluded.lifted, told_at = excluded.told_at
       WHERE a.told_at < excluded.told_at`,
      [
        words.map(word => word.serviceId),
        words.map(word => word.address),
        words.map(word => word.lifted),
        words.map(word => word.at),
      ],
    );
  }
}
