import { PersonalData, type PersonalErasure } from '@postern/service-host';
import type pg from 'pg';

/** Signals that wait for their email name the recipient; without one they would be forgotten within a day. */
export class PersonalRows extends PersonalData {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async erase({ address, redact }: PersonalErasure): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<{ id: string; told: unknown }>(
      'SELECT id::text AS id, told FROM waiting_signals WHERE strpos(lower(told::text), lower($1)) > 0',
      [address],
    );
    const theirs = rows.filter(({ told }) => redact(told) !== undefined).map(({ id }) => id);
    await this.pool.query('DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])', [theirs]);
    return { waiting_signals: theirs.length };
  }
}
