import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';
import { FIND_WAITING_SIGNALS, FORGET_WAITING_SIGNALS } from './erasure.sql.js';

/** Erases the waiting signals that name a recipient. No other row outside the read models holds personal data. */
export class WaitingSignalErasure extends PersonalData {
  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(
    { traces, redact }: PersonalErasure,
    _from: string | undefined,
    tx: pg.ClientBase,
  ): Promise<RowsOnTheirOwn> {
    const { rows } = await tx.query<{ id: string; told: unknown }>(FIND_WAITING_SIGNALS, [traces]);
    const ids = rows.filter(({ told }) => redact(told) !== undefined).map(({ id }) => id);
    await tx.query(FORGET_WAITING_SIGNALS, [ids]);
    return { erased: { waiting_signals: ids.length } };
  }
}
