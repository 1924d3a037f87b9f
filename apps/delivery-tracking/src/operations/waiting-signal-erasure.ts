import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';
import {
  FIND_BOUNCE_NOTICES,
  FIND_WAITING_SIGNALS,
  FORGET_BOUNCE_NOTICES,
  FORGET_WAITING_SIGNALS,
} from './erasure.sql.js';

/** Erases the waiting signals and bounce notices that name a recipient: the only such rows outside the read models. */
export class WaitingSignalErasure extends PersonalData {
  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(
    { traces, redact }: PersonalErasure,
    _from: string | undefined,
    tx: pg.ClientBase,
  ): Promise<RowsOnTheirOwn> {
    const { rows } = await tx.query<{ id: string; received: unknown }>(FIND_WAITING_SIGNALS, [traces]);
    const ids = rows.filter(({ received }) => redact(received) !== undefined).map(({ id }) => id);
    await tx.query(FORGET_WAITING_SIGNALS, [ids]);
    const notices = await tx.query<{ id: string; evidence: unknown }>(FIND_BOUNCE_NOTICES, [traces]);
    const noticeIds = notices.rows.filter(({ evidence }) => redact(evidence) !== undefined).map(({ id }) => id);
    await tx.query(FORGET_BOUNCE_NOTICES, [noticeIds]);
    return { erased: { waiting_signals: ids.length, bounce_notices: noticeIds.length } };
  }
}
