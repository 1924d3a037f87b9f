import { PersonalData, type PersonalErasure } from '@postern/service-host';
import type pg from 'pg';

/** Outcomes name the recipient, and the answers to them may. */
export class PersonalRows extends PersonalData {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async erase({ address, redact }: PersonalErasure): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<{ id: string; payload: string }>(
      'SELECT id, payload FROM deliveries WHERE strpos(lower(payload), lower($1)) > 0',
      [JSON.stringify(address).slice(1, -1)],
    );
    const changed = rows.flatMap(({ id, payload }) => {
      const redacted = redact(JSON.parse(payload));
      return redacted === undefined ? [] : [{ id, payload: JSON.stringify(redacted) }];
    });
    const ids = changed.map(({ id }) => id);
    await this.pool.query(
      `UPDATE deliveries SET payload = fresh.payload FROM unnest($1::uuid[], $2::text[]) AS fresh (id, payload)
       WHERE deliveries.id = fresh.id`,
      [ids, changed.map(({ payload }) => payload)],
    );
    const { rowCount } = await this.pool.query(
      'UPDATE attempts SET response_head = NULL WHERE delivery_id = ANY ($1::uuid[]) AND response_head IS NOT NULL',
      [ids],
    );
    return { deliveries: changed.length, attempts: rowCount ?? 0 };
  }
}
