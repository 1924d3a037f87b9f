import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';

/** Deliveries that one statement reads. */
const PART = 10_000;

/** Outcomes name the recipient, and the answers to them may. */
export class PersonalRows extends PersonalData {
  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const next = await endOfPart(tx, from);
    const { rows } = await tx.query<{ id: string; payload: string }>(
      `SELECT id, payload FROM deliveries
       WHERE ($1::uuid IS NULL OR id > $1) AND ($2::uuid IS NULL OR id <= $2)
         AND EXISTS (SELECT FROM unnest($3::text[]) AS trace WHERE strpos(lower(payload COLLATE "C"), trace) > 0)
       ORDER BY id FOR UPDATE`,
      [from ?? null, next ?? null, [...erasure.traces, erasure.replacement]],
    );
    const changed = rows.flatMap(({ id, payload }) => {
      const redacted = erasure.redact(JSON.parse(payload));
      return redacted === undefined ? [] : [{ id, payload: JSON.stringify(redacted) }];
    });
    await tx.query(
      `UPDATE deliveries SET payload = fresh.payload FROM unnest($1::uuid[], $2::text[]) AS fresh (id, payload)
       WHERE deliveries.id = fresh.id`,
      [changed.map(({ id }) => id), changed.map(({ payload }) => payload)],
    );
    const theirs = new Set(changed.map(({ id }) => id));
    const concerned = rows.filter(({ id, payload }) => theirs.has(id) || payload.includes(erasure.replacement));
    const { rowCount } = await tx.query(
      'UPDATE attempts SET response_head = NULL WHERE delivery_id = ANY ($1::uuid[]) AND response_head IS NOT NULL',
      [concerned.map(({ id }) => id)],
    );
    return {
      erased: { deliveries: changed.length, attempts: rowCount ?? 0 },
      ...(next === undefined ? {} : { next }),
    };
  }
}

/** The last delivery of a full part; undefined where fewer are left. */
const endOfPart = async (tx: pg.ClientBase, from: string | undefined): Promise<string | undefined> => {
  const { rows } = await tx.query<{ id: string }>(
    'SELECT id FROM deliveries WHERE $1::uuid IS NULL OR id > $1 ORDER BY id OFFSET $2 LIMIT 1',
    [from ?? null, PART - 1],
  );
  return rows[0]?.id;
};
