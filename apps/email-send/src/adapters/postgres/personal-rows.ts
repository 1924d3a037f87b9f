import type { ErasableEvent } from '@postern/event-sourcing/postgres';
import { PersonalData, type PersonalErasure, type RowsOfEvents, type RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';

interface NamesRecipients {
  readonly email_id?: string;
  readonly recipients?: readonly { readonly index: number; readonly address: string }[];
}

/** What the sending path keeps of a recipient: answers to clients, bodies, copies to try again, suppression. */
export class PersonalRows extends PersonalData {
  async eraseRowsOf(
    events: readonly ErasableEvent[],
    erasure: PersonalErasure,
    tx: pg.ClientBase,
  ): Promise<RowsOfEvents> {
    const emails = events.map(({ data }) => data as NamesRecipients);
    const ids = [...new Set(emails.flatMap(({ email_id }) => email_id ?? []))];
    if (ids.length === 0) return { erased: {}, unfinished: 0 };
    const erased = {
      deferred_copies: await giveUpCopies(tx, emails, erasure.replacement),
      emails: await redactRecords(tx, ids, erasure.redact),
      email_bodies: await deleteBodies(tx, ids),
      idempotency_keys: await replaceKeys(tx, ids, erasure.forms),
    };
    return { erased, unfinished: await countUnfinished(tx, ids) };
  }

  async eraseRows({ forms }: PersonalErasure, _from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const { rowCount } = await tx.query('DELETE FROM suppressed_addresses WHERE address = ANY ($1)', [
      forms.map(form => form.toLowerCase()),
    ]);
    return { erased: { suppressed_addresses: rowCount ?? 0 } };
  }

  override describeUnfinished(rows: number): string {
    return `${rows} messages are still being sent, some to other recipients; their bodies are erased afterwards`;
  }
}

/** Without its row, a copy that waits for another try is not sent. */
const giveUpCopies = async (
  tx: pg.ClientBase,
  emails: readonly NamesRecipients[],
  replacement: string,
): Promise<number> => {
  const copies = emails.flatMap(({ email_id, recipients = [] }) =>
    recipients.filter(({ address }) => address === replacement).map(({ index }) => ({ email_id, index })),
  );
  const { rowCount } = await tx.query(
    `DELETE FROM deferred_copies USING unnest($1::uuid[], $2::smallint[]) AS gone (email_id, index)
     WHERE deferred_copies.email_id = gone.email_id AND recipient_index = gone.index`,
    [copies.map(({ email_id }) => email_id), copies.map(({ index }) => index)],
  );
  return rowCount ?? 0;
};

const redactRecords = async (
  tx: pg.ClientBase,
  emailIds: readonly string[],
  redact: PersonalErasure['redact'],
): Promise<number> => {
  const { rows } = await tx.query<{ id: string; record: string }>(
    'SELECT id, record FROM emails WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE',
    [emailIds],
  );
  const changed = rows.flatMap(({ id, record }) => {
    const redacted = redact(JSON.parse(record));
    return redacted === undefined ? [] : [{ id, record: JSON.stringify(redacted) }];
  });
  await tx.query(
    `UPDATE emails SET record = fresh.record FROM unnest($1::uuid[], $2::text[]) AS fresh (id, record)
     WHERE emails.id = fresh.id`,
    [changed.map(({ id }) => id), changed.map(({ record }) => record)],
  );
  return changed.length;
};

/** Bodies of messages that are being sent, or that others still wait for, stay until a later pass. */
const deleteBodies = async (tx: pg.ClientBase, emailIds: readonly string[]): Promise<number> => {
  const { rowCount } = await tx.query(
    `DELETE FROM email_bodies WHERE email_id = ANY ($1::uuid[])
       AND EXISTS (SELECT FROM emails e WHERE e.id = email_bodies.email_id)
       AND NOT EXISTS (SELECT FROM deferred_copies d WHERE d.email_id = email_bodies.email_id)`,
    [emailIds],
  );
  return rowCount ?? 0;
};

/** Clients choose these keys. One that holds the address becomes the id of its message. */
const replaceKeys = async (
  tx: pg.ClientBase,
  emailIds: readonly string[],
  forms: readonly string[],
): Promise<number> => {
  const { rowCount } = await tx.query(
    `UPDATE idempotency_keys SET key = email_id::text WHERE email_id = ANY ($1::uuid[])
       AND EXISTS (SELECT FROM unnest($2::text[]) AS form WHERE strpos(lower(key), lower(form)) > 0)`,
    [emailIds, forms],
  );
  return rowCount ?? 0;
};

const countUnfinished = async (tx: pg.ClientBase, emailIds: readonly string[]): Promise<number> => {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT email_id FROM email_bodies WHERE email_id = ANY ($1::uuid[])
       UNION SELECT email_id FROM emails_in_flight WHERE email_id = ANY ($1::uuid[])
     ) AS unfinished`,
    [emailIds],
  );
  return rows[0]?.count ?? 0;
};
