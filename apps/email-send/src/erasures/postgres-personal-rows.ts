import { Injectable } from '@nestjs/common';
import type { ErasableEvent } from '@postern/event-sourcing/postgres';
import {
  type KeptRows,
  PersonalData,
  type PersonalErasure,
  type RowsOfEvents,
  type RowsOnTheirOwn,
} from '@postern/service-host';
import type pg from 'pg';
import { CodeOptOuts } from '../code-opt-outs/code-opt-outs.js';
import { MailboxHashes } from '../code-opt-outs/ports.js';
import { EraseScheduledEmails } from '../scheduled-emails/erase-scheduled-emails.js';
import {
  COUNT_UNFINISHED,
  DELETE_BODIES,
  DELETE_COPIES,
  DELETE_LOGGED_REQUESTS,
  DELETE_SUPPRESSIONS,
  LOCK_RECORDS,
  REPLACE_KEYS,
  REPLACE_RECORDS,
} from './personal-rows.sql.js';

interface NamesRecipients {
  readonly email_id?: string;
  readonly recipients?: readonly { readonly index: number; readonly address: string }[];
}

/** Erases a recipient from records, bodies, deferred copies, scheduled messages, idempotency keys and suppressions. */
@Injectable()
export class PostgresPersonalRows extends PersonalData {
  constructor(
    private readonly hashes: MailboxHashes,
    private readonly optOuts: CodeOptOuts,
    private readonly scheduled: EraseScheduledEmails,
  ) {
    super();
  }

  async eraseRowsOf(
    events: readonly ErasableEvent[],
    erasure: PersonalErasure,
    tx: pg.ClientBase,
  ): Promise<RowsOfEvents> {
    const emails = events.map(({ data }) => data as NamesRecipients);
    const ids = [...new Set(emails.flatMap(({ email_id }) => email_id ?? []))];
    if (ids.length === 0) return { erased: {}, unfinished: 0 };
    const erased = {
      deferred_copies: await deleteCopies(tx, emails, erasure.replacement),
      emails: await redactRecords(tx, ids, erasure.redact),
      sealed_email_bodies: await run(tx, DELETE_BODIES, [ids]),
      idempotency_keys: await run(tx, REPLACE_KEYS, [ids, erasure.forms]),
    };
    return { erased, unfinished: await countUnfinished(tx, ids) };
  }

  async eraseRows(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const addresses = erasure.forms.map(form => form.toLowerCase());
    const { erased, next } = await this.scheduled.erase(erasure, from, tx);
    const suppressed_addresses = await run(tx, DELETE_SUPPRESSIONS, [addresses]);
    const logged_requests = await run(tx, DELETE_LOGGED_REQUESTS, [erasure.forms]);
    return { erased: { suppressed_addresses, logged_requests, ...erased }, ...(next === undefined ? {} : { next }) };
  }

  override async kept({ address }: PersonalErasure): Promise<readonly KeptRows[]> {
    if (!(await this.optOuts.has(await this.hashes.hashOf(address)))) return [];
    const reason = 'the person refused verification codes; the list holds a keyed hash instead of the address';
    return [{ kind: 'code_opt_outs', rows: 1, reason }];
  }

  override describeUnfinished(rows: number): string {
    return `${rows} messages are still being sent, some to other recipients; their bodies are erased afterwards`;
  }
}

const run = async (tx: pg.ClientBase, statement: string, values: readonly unknown[]): Promise<number> =>
  (await tx.query(statement, [...values])).rowCount ?? 0;

const deleteCopies = (tx: pg.ClientBase, emails: readonly NamesRecipients[], replacement: string): Promise<number> => {
  const copies = emails.flatMap(({ email_id, recipients = [] }) =>
    recipients.filter(({ address }) => address === replacement).map(({ index }) => ({ email_id, index })),
  );
  return run(tx, DELETE_COPIES, [copies.map(({ email_id }) => email_id), copies.map(({ index }) => index)]);
};

const redactRecords = async (
  tx: pg.ClientBase,
  emailIds: readonly string[],
  redact: PersonalErasure['redact'],
): Promise<number> => {
  const { rows } = await tx.query<{ id: string; record: string }>(LOCK_RECORDS, [emailIds]);
  const changed = rows.flatMap(({ id, record }) => {
    const redacted = redact(JSON.parse(record));
    return redacted === undefined ? [] : [{ id, record: JSON.stringify(redacted) }];
  });
  await tx.query(REPLACE_RECORDS, [changed.map(({ id }) => id), changed.map(({ record }) => record)]);
  return changed.length;
};

const countUnfinished = async (tx: pg.ClientBase, emailIds: readonly string[]): Promise<number> => {
  const { rows } = await tx.query<{ count: number }>(COUNT_UNFINISHED, [emailIds]);
  return rows[0]?.count ?? 0;
};
