import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';
import {
  CLEAR_RESPONSES,
  DELETE_LISTENER_EVENTS,
  FIND_DELIVERIES,
  FIND_END_OF_BATCH,
  REPLACE_PAYLOADS,
} from './erasure.sql.js';

/** Deliveries per statement. */
const BATCH_SIZE = 10_000;

/** Redacts a recipient in payloads, and deletes the responses to them, which may quote the payload, and unread events. */
export class DeliveryErasure extends PersonalData {
  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const next = await endOfBatch(tx, from);
    const { rows } = await tx.query<{ id: string; payload: string }>(FIND_DELIVERIES, [
      from ?? null,
      next ?? null,
      [...erasure.traces, erasure.replacement],
    ]);
    const changed = rows.flatMap(({ id, payload }) => {
      const redacted = erasure.redact(JSON.parse(payload));
      return redacted === undefined ? [] : [{ id, payload: JSON.stringify(redacted) }];
    });
    await tx.query(REPLACE_PAYLOADS, [changed.map(({ id }) => id), changed.map(({ payload }) => payload)]);
    const changedIds = new Set(changed.map(({ id }) => id));
    const affected = rows.filter(({ id, payload }) => changedIds.has(id) || payload.includes(erasure.replacement));
    const { rowCount } = await tx.query(CLEAR_RESPONSES, [affected.map(({ id }) => id)]);
    const unread = next === undefined ? await tx.query(DELETE_LISTENER_EVENTS, [erasure.traces]) : undefined;
    return {
      erased: {
        deliveries: changed.length,
        attempts: rowCount ?? 0,
        ...(unread?.rowCount ? { webhook_listener_events: unread.rowCount } : {}),
      },
      ...(next === undefined ? {} : { next }),
    };
  }
}

/** Returns undefined for the last batch. */
const endOfBatch = async (tx: pg.ClientBase, from: string | undefined): Promise<string | undefined> => {
  const { rows } = await tx.query<{ id: string }>(FIND_END_OF_BATCH, [from ?? null, BATCH_SIZE - 1]);
  return rows[0]?.id;
};
