import { ConcurrencyConflict, type EventMetadata } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import { type Email, type EmailCommand, type EmailFacts, email, emailStream } from './email.js';
import { recordOf } from './email-record.js';
import { resolveRecord } from './email-rows.js';

/** Evidence of a message, and the state that it was found in. */
export interface Confirmation {
  readonly facts: EmailFacts;
  readonly metadata: EventMetadata;
  readonly state: Email;
  readonly version: number;
  readonly evidence: Extract<EmailCommand, { kind: 'confirm' }>['evidence'];
}

/** Records evidence of a message and updates its record; undefined when the stream has changed meanwhile. */
export async function confirmOutcome(
  store: PostgresEventStore,
  { facts, metadata, state, version, evidence }: Confirmation,
): Promise<Email | undefined> {
  const events = email.decide({ kind: 'confirm', evidence }, state);
  if (events.length === 0) return state;
  const next = events.reduce(email.evolve, state);
  const streamId = emailStream(facts.email_id);
  return inTransaction(store.pool, async client => {
    const [appended] = await appendAll(client, [{ streamId, expectedVersion: version, events, metadata }]);
    if (appended instanceof ConcurrencyConflict) return undefined;
    if (next.state === 'concluded') await resolveRecord(client, recordOf(next));
    return next;
  });
}
