import { fold } from '@postern/event-sourcing';
import type { PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase } from 'pg';
import { type EmailRecord, email, emailStream, recordOf } from './email.js';
import { relayUnavailable } from './email-refusals.js';
import { FIND_ADMITTED, FIND_OPEN_REQUESTS } from './emails.sql.js';
import { outcomeUnknown, recognisedDeadlines } from './idempotency.js';
import type { AdmissionContext } from './ports.js';
import type { EarlierAnswer } from './postgres-idempotency-keys.js';

type Queryable = Pick<ClientBase, 'query'>;

/** The earlier answers of requests whose message id is known: the gateway repeats a request when an answer was lost. */
export async function findById<T extends AdmissionContext>(
  client: Queryable,
  store: PostgresEventStore,
  requests: readonly T[],
): Promise<ReadonlyMap<T, EarlierAnswer>> {
  const { rows } = await client.query<{ stream_id: string }>({
    name: 'find-known-emails',
    text: FIND_ADMITTED,
    values: [requests.map(({ emailId }) => emailStream(emailId))],
  });
  const known = new Set(rows.map(({ stream_id }) => stream_id));
  const repeated = requests.filter(({ emailId }) => known.has(emailStream(emailId)));
  return new Map(await Promise.all(repeated.map(async request => [request, await answerOf(store, request)] as const)));
}

async function answerOf(store: PostgresEventStore, { emailId }: AdmissionContext): Promise<EarlierAnswer> {
  const state = fold(email, await store.readStream(emailStream(emailId)));
  if (state.state !== 'concluded') return outcomeUnknown(emailId);
  return state.handedOver ? { record: recordOf(state), replayed: false } : relayUnavailable(state);
}

interface OpenRow {
  readonly fingerprint: string;
  readonly email_id: string;
  readonly record: string | null;
}

/** The earlier answers of requests without a key whose body recently got the answer "outcome unknown". */
export async function findByFingerprint<T extends AdmissionContext>(
  client: Queryable,
  requests: readonly T[],
): Promise<ReadonlyMap<T, EarlierAnswer>> {
  const unkeyed = requests.filter(({ idempotencyKey }) => idempotencyKey === undefined);
  if (unkeyed.length === 0) return new Map();
  const { after, until } = recognisedDeadlines(new Date(Math.max(...unkeyed.map(({ at }) => at.getTime()))));
  const { rows } = await client.query<OpenRow>({
    name: 'recall-fingerprints',
    text: FIND_OPEN_REQUESTS,
    values: [unkeyed.map(({ fingerprint }) => fingerprint), after, until],
  });
  const open = new Map(rows.map(row => [row.fingerprint, row]));
  return new Map(
    unkeyed.flatMap(request => {
      const row = open.get(request.fingerprint);
      if (!row) return [];
      const earlier: EarlierAnswer =
        row.record === null
          ? outcomeUnknown(row.email_id)
          : { record: JSON.parse(row.record) as EmailRecord, replayed: true };
      return [[request, earlier]];
    }),
  );
}
