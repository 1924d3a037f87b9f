import { fold } from '@postern/event-sourcing';
import type { PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase } from 'pg';
import { email, emailStream } from '../../domain/email.js';
import { type EmailRecord, recordOf } from '../../domain/email-record.js';
import { relayUnavailable } from '../../domain/email-refusals.js';
import { outcomeUnknown, recognisedDeadlines } from '../../domain/idempotency.js';
import type { Asking } from '../../ports.js';
import type { Met } from './idempotency-claims.js';

type Queryable = Pick<ClientBase, 'query'>;

/** What requests meet whose message is known by its id: the gateway asks again where an answer was lost. */
export async function recallMessages<T extends Asking>(
  client: Queryable,
  store: PostgresEventStore,
  requests: readonly T[],
): Promise<ReadonlyMap<T, Met>> {
  const { rows } = await client.query<{ stream_id: string }>({
    name: 'find-known-emails',
    text: `SELECT stream_id FROM event_store.events WHERE stream_id = ANY($1::text[]) AND version = 1`,
    values: [requests.map(({ emailId }) => emailStream(emailId))],
  });
  const known = new Set(rows.map(({ stream_id }) => stream_id));
  const again = requests.filter(({ emailId }) => known.has(emailStream(emailId)));
  const met = await Promise.all(again.map(async request => [request, await recallMessage(store, request)] as const));
  return new Map(met);
}

async function recallMessage(store: PostgresEventStore, { emailId }: Asking): Promise<Met> {
  const state = fold(email, await store.readStream(emailStream(emailId)));
  if (state.state !== 'concluded') return outcomeUnknown(emailId);
  // It is the answer to this very request, which was lost on its way.
  return state.handedOver ? { record: recordOf(state), replayed: false } : relayUnavailable(state);
}

interface OpenRow {
  readonly fingerprint: string;
  readonly email_id: string;
  readonly record: string | null;
}

/** What requests without a key meet whose body was answered "outcome unknown" not long ago. */
export async function recallFingerprints<T extends Asking>(
  client: Queryable,
  requests: readonly T[],
): Promise<ReadonlyMap<T, Met>> {
  const unkeyed = requests.filter(({ idempotencyKey }) => idempotencyKey === undefined);
  if (unkeyed.length === 0) return new Map();
  const { after, until } = recognisedDeadlines(new Date());
  const { rows } = await client.query<OpenRow>({
    name: 'recall-fingerprints',
    text: `SELECT DISTINCT ON (fingerprint) fingerprint, email_id, record
           FROM open_requests LEFT JOIN emails ON id = email_id
           WHERE fingerprint = ANY($1::uuid[]) AND answer_by > $2 AND answer_by <= $3
           ORDER BY fingerprint, answer_by DESC`,
    values: [unkeyed.map(({ identity }) => identity.fingerprint), after, until],
  });
  const open = new Map(rows.map(row => [row.fingerprint, row]));
  return new Map(
    unkeyed.flatMap(request => {
      const row = open.get(request.identity.fingerprint);
      if (!row) return [];
      const met: Met =
        row.record === null
          ? outcomeUnknown(row.email_id)
          : { record: JSON.parse(row.record) as EmailRecord, replayed: true };
      return [[request, met]];
    }),
  );
}
