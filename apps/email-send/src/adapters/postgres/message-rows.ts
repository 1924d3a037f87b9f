import type { ClientBase } from 'pg';
import type { EmailRecord } from '../../domain/email-record.js';
import type { AdmissionRequest } from '../../ports.js';

/** Keeps the bodies of messages just let in, and marks them as under way in this process. */
export async function insertUnderWay(
  client: ClientBase,
  admitted: readonly AdmissionRequest[],
  instanceId: string,
): Promise<void> {
  await client.query({
    name: 'insert-emails-under-way',
    text: `WITH bodies AS (
             INSERT INTO email_bodies (email_id, content) SELECT * FROM unnest($1::uuid[], $2::text[])
           )
           INSERT INTO emails_in_flight (email_id, instance_id) SELECT unnest($1::uuid[]), $3`,
    values: [admitted.map(({ facts }) => facts.email_id), admitted.map(({ body }) => JSON.stringify(body)), instanceId],
  });
}

/** Ends the hand-over of messages and keeps their answers. */
export async function closeWithRecords(
  client: ClientBase,
  records: readonly { readonly serviceId: string; readonly record: EmailRecord }[],
): Promise<void> {
  if (records.length === 0) return;
  await client.query({
    name: 'close-emails-with-records',
    text: `WITH closed AS (DELETE FROM emails_in_flight WHERE email_id = ANY($1::uuid[]))
           INSERT INTO emails (id, service_id, record) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[])`,
    values: [
      records.map(({ record }) => record.id),
      records.map(({ serviceId }) => serviceId),
      records.map(({ record }) => JSON.stringify(record)),
    ],
  });
}

/** The answers that stand for messages closed by somebody else. */
export async function readRecords(
  client: Pick<ClientBase, 'query'>,
  emailIds: readonly string[],
): Promise<Map<string, EmailRecord>> {
  if (emailIds.length === 0) return new Map();
  const { rows } = await client.query<{ id: string; record: string }>({
    name: 'read-email-records',
    text: 'SELECT id, record FROM emails WHERE id = ANY($1::uuid[])',
    values: [emailIds],
  });
  return new Map(rows.map(({ id, record }) => [id, JSON.parse(record) as EmailRecord]));
}

/** Puts the copies aside that the relay deferred. */
export async function insertDeferredCopies(
  client: ClientBase,
  copies: readonly {
    readonly emailId: string;
    readonly index: number;
    readonly dueAt: Date;
    readonly deadline: Date;
  }[],
): Promise<void> {
  if (copies.length === 0) return;
  await client.query({
    name: 'insert-deferred-copies',
    text: `INSERT INTO deferred_copies (email_id, recipient_index, due_at, deadline)
           SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::timestamptz[])`,
    values: [
      copies.map(({ emailId }) => emailId),
      copies.map(({ index }) => index),
      copies.map(({ dueAt }) => dueAt),
      copies.map(({ deadline }) => deadline),
    ],
  });
}
