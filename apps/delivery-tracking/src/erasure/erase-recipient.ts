import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';

/** Signals that wait for their email name the recipient; without one they would be forgotten within a day. */
export class PersonalRows extends PersonalData {
  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(
    { traces, redact }: PersonalErasure,
    _from: string | undefined,
    tx: pg.ClientBase,
  ): Promise<RowsOnTheirOwn> {
    const { rows } = await tx.query<{ id: string; told: unknown }>(
      `SELECT id::text AS id, told FROM waiting_signals
       WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(lower(told::text COLLATE "C"), trace) > 0)`,
      [traces],
    );
    const theirs = rows.filter(({ told }) => redact(told) !== undefined).map(({ id }) => id);
    await tx.query('DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])', [theirs]);
    return { erased: { waiting_signals: theirs.length } };
  }
}
