import type { ClientBase } from 'pg';
import type { BodySeal } from './body-seal.js';
import type { EmailRecord } from './email-record.js';
import { INSERT_DEFERRED_COPIES, INSERT_OPEN_REQUESTS, INSERT_RECORDS, RESOLVE_RECORD } from './email-rows.sql.js';
import type { AdmissionRequest } from './ports.js';

/** The process that admits messages, and how it seals their bodies. */
export interface AdmissionWriter {
  readonly instanceId: string;
  readonly seal: BodySeal;
}

/** Ids, sealed bodies, fingerprints and deadlines as columns. A request with an idempotency key has no fingerprint. */
export const messageColumns = (admitted: readonly AdmissionRequest[], seal: BodySeal): unknown[] => [
  admitted.map(({ facts }) => facts.email_id),
  admitted.map(({ facts, body }) => seal.seal(facts.email_id, body)),
  admitted.map(({ idempotencyKey, identity }) => (idempotencyKey === undefined ? identity.fingerprint : null)),
  admitted.map(({ answerBy }) => answerBy),
];

/** Stores the bodies of admitted messages, and their requests as open in this process. */
export async function insertOpenRequests(
  client: ClientBase,
  admitted: readonly AdmissionRequest[],
  { instanceId, seal }: AdmissionWriter,
): Promise<void> {
  await client.query({
    name: 'insert-open-requests',
    text: INSERT_OPEN_REQUESTS,
    values: [...messageColumns(admitted, seal), instanceId],
  });
}

export interface ClosedEmail {
  readonly serviceId: string;
  readonly record: EmailRecord;
  /** False when a retry is a new message, so that nothing has to recognise it. */
  readonly handedOver: boolean;
  /** The outcome is unknown until evidence arrives. */
  readonly isUnresolved: boolean;
}

/** Stores the records of concluded messages. */
export async function insertRecords(client: ClientBase, closed: readonly ClosedEmail[]): Promise<void> {
  if (closed.length === 0) return;
  await client.query({
    name: 'insert-email-records',
    text: INSERT_RECORDS,
    values: [
      closed.map(({ record }) => record.id),
      closed.map(({ serviceId }) => serviceId),
      closed.map(({ record }) => JSON.stringify(record)),
      closed.filter(({ handedOver }) => !handedOver).map(({ record }) => record.id),
      closed.filter(({ isUnresolved }) => isUnresolved).map(({ record }) => record.id),
    ],
  });
}

/** Replaces the record of a message whose outcome was unknown. */
export async function resolveRecord(client: ClientBase, record: EmailRecord): Promise<void> {
  await client.query({
    name: 'resolve-email-record',
    text: RESOLVE_RECORD,
    values: [record.id, JSON.stringify(record)],
  });
}

/** Stores copies that a relay deferred, for later attempts. */
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
    text: INSERT_DEFERRED_COPIES,
    values: [
      copies.map(({ emailId }) => emailId),
      copies.map(({ index }) => index),
      copies.map(({ dueAt }) => dueAt),
      copies.map(({ deadline }) => deadline),
    ],
  });
}
