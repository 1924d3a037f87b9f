import type { ClientBase } from 'pg';
import type { EmailRecord } from '../../domain/email-record.js';
import type { AdmissionRequest } from '../../ports.js';

/** Ids, bodies, fingerprints and deadlines of messages as columns. A request under a key is recognised by its key. */
export const messageColumns = (admitted: readonly AdmissionRequest[]): unknown[] => [
  admitted.map(({ facts }) => facts.email_id),
  admitted.map(({ body }) => JSON.stringify(body)),
  admitted.map(({ idempotencyKey, identity }) => (idempotencyKey === undefined ? identity.fingerprint : null)),
  admitted.map(({ answerBy }) => answerBy),
];

/** Keeps the bodies of messages just admitted, and their requests as open in this process. */
export async function insertOpenRequests(
  client: ClientBase,
  admitted: readonly AdmissionRequest[],
  instanceId: string,
): Promise<void> {
  await client.query({
    name: 'insert-open-requests',
    text: `WITH bodies AS (
             INSERT INTO email_bodies (email_id, content) SELECT * FROM unnest($1::uuid[], $2::text[])
           )
           INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
           SELECT id, $5, print, deadline
           FROM unnest($1::uuid[], $3::uuid[], $4::timestamptz[]) AS message (id, print, deadline)`,
    values: [...messageColumns(admitted), instanceId],
  });
}

export interface ClosedEmail {
  readonly serviceId: string;
  readonly record: EmailRecord;
  /** False where a retry is a new message, so that nothing has to recognise it. */
  readonly handedOver: boolean;
  /** Only evidence can tell what became of it. */
  readonly isUnresolved: boolean;
}

/** Keeps the answers of messages whose hand-over has ended. */
export async function insertRecords(client: ClientBase, closed: readonly ClosedEmail[]): Promise<void> {
  if (closed.length === 0) return;
  await client.query({
    name: 'insert-email-records',
    text: `WITH of_earlier_release AS (DELETE FROM emails_in_flight WHERE email_id = ANY($1::uuid[])),
           not_handed_over AS (DELETE FROM open_requests WHERE email_id = ANY($4::uuid[])),
           unresolved AS (
             INSERT INTO unresolved_emails (email_id) SELECT unnest($5::uuid[]) ON CONFLICT DO NOTHING
           )
           INSERT INTO emails (id, service_id, record) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[])`,
    values: [
      closed.map(({ record }) => record.id),
      closed.map(({ serviceId }) => serviceId),
      closed.map(({ record }) => JSON.stringify(record)),
      closed.filter(({ handedOver }) => !handedOver).map(({ record }) => record.id),
      closed.filter(({ isUnresolved }) => isUnresolved).map(({ record }) => record.id),
    ],
  });
}

/** Keeps the record of a message whose outcome was unknown until now. */
export async function resolveRecord(client: ClientBase, record: EmailRecord): Promise<void> {
  await client.query({
    name: 'resolve-email-record',
    text: `WITH resolved AS (DELETE FROM unresolved_emails WHERE email_id = $1)
           UPDATE emails SET record = $2 WHERE id = $1`,
    values: [record.id, JSON.stringify(record)],
  });
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
