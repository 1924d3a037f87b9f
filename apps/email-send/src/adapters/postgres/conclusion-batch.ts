import { type Append, ConcurrencyConflict, type EventMetadata, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase, Pool } from 'pg';
import {
  type ConcludedEmail,
  type Email,
  type EmailCommand,
  type EmailEvent,
  type EmailFacts,
  email,
  emailStream,
  isUnresolved,
} from '../../domain/email.js';
import { recordOf } from '../../domain/email-record.js';
import { nextTry, retryDeadline } from '../../domain/retry-schedule.js';
import type { Conclusion } from '../../ports.js';
import { releaseKeys } from './idempotency-claims.js';
import { insertDeferredCopies, insertRecords, resolveRecord } from './message-rows.js';
import { giveBackDays } from './usage-counters.js';

const ATTEMPTS = 5;

/** A conclusion with what was decided about it, as far as is known what it meets. */
export interface Concluding extends Conclusion {
  readonly metadata: EventMetadata;
  readonly events: readonly EmailEvent[];
  readonly append: Append;
  readonly outcome: ConcludedEmail;
}

/** Decides a conclusion of a message to which nothing has happened since its acceptance, as is nearly always so. */
export const decided = (conclusion: Conclusion & { readonly metadata: EventMetadata }): Concluding =>
  decidedOn(conclusion, { state: 'accepted', facts: conclusion.facts }, 1, conclusion.command);

/** Records conclusions one by one in one transaction. Answers the places of those whose stream has moved on. */
export const concludeEach = (pool: Pool, batch: readonly Concluding[]): Promise<number[]> =>
  inTransaction(pool, async client => {
    const appended = await appendAll(
      client,
      batch.map(({ append }) => append),
    );
    const ours = batch.filter((_, place) => !(appended[place] instanceof ConcurrencyConflict));
    await insertRecords(client, ours.map(closedEmail));
    await insertDeferredCopies(client, ours.flatMap(deferredIn));
    await giveBack(client, ours);
    return [...batch.keys()].filter(place => appended[place] instanceof ConcurrencyConflict);
  });

/**
 * Decides and records a conclusion once more, by what the stream says: evidence came before the outcome, or another
 * process took this one for dead and closed the message. Answers the outcome that stands.
 */
export async function concludeAgain(
  store: PostgresEventStore,
  conclusion: Concluding,
): Promise<ConcludedEmail | undefined> {
  for (let attempt = 1; ; attempt++) {
    const history = await store.readStream(emailStream(conclusion.facts.email_id));
    const state = fold(email, history);
    if (state.state === 'new') return undefined;
    if (state.state === 'concluded') return confirmLate(store, conclusion, state, history.length);
    const again = decidedOn(conclusion, state, history.length, conclusion.command);
    if ((await concludeEach(store.pool, [again])).length === 0) return again.outcome;
    if (attempt === ATTEMPTS) throw new ConcurrencyConflict(again.append.streamId, history.length, history.length + 1);
  }
}

/** Concludes a message, provided that it was accepted at that very moment and nothing has become of it since. */
export async function withdrawAcceptance(
  store: PostgresEventStore,
  conclusion: Conclusion & { readonly metadata: EventMetadata },
): Promise<void> {
  const { email_id, accepted_at } = conclusion.facts;
  const history = await store.readStream(emailStream(email_id));
  const state = fold(email, history);
  if (state.state !== 'accepted' || state.facts.accepted_at !== accepted_at) return;
  await concludeEach(store.pool, [decidedOn(conclusion, state, history.length, conclusion.command)]);
}

/** The relay's own answer, come late, is the best evidence that a message called interrupted was handed over. */
async function confirmLate(
  store: PostgresEventStore,
  { facts, command, metadata }: Concluding,
  state: ConcludedEmail,
  version: number,
): Promise<ConcludedEmail> {
  const place = command.kind === 'conclude' ? command.answers.findIndex(({ result }) => result === 'accepted') : -1;
  const recipient = facts.recipients[place];
  if (!recipient || !isUnresolved(state)) return state;
  const evidence = { index: recipient.index, kind: 'answered', at: command.at } as const;
  const confirmed = await confirmOutcome(store, { facts, metadata, state, version, evidence });
  return confirmed?.state === 'concluded' ? confirmed : state;
}

/** Records evidence of a message, and what its record says from then on; undefined where its stream has moved on. */
export async function confirmOutcome(
  store: PostgresEventStore,
  confirmation: {
    readonly facts: EmailFacts;
    readonly metadata: EventMetadata;
    readonly state: Email;
    readonly version: number;
    readonly evidence: Extract<EmailCommand, { kind: 'confirm' }>['evidence'];
  },
): Promise<Email | undefined> {
  const { facts, metadata, state, version, evidence } = confirmation;
  const events = email.decide({ kind: 'confirm', evidence }, state);
  if (events.length === 0) return state;
  const next = events.reduce(email.evolve, state);
  const streamId = emailStream(facts.email_id);
  return inTransaction(store.pool, async client => {
    const [appended] = await appendAll(client, [{ streamId, expectedVersion: version, events, metadata }]);
    if (appended instanceof ConcurrencyConflict) return undefined;
    if (next.state !== 'concluded') return next;
    await resolveRecord(client, recordOf(next));
    return next;
  });
}

function decidedOn(
  conclusion: Conclusion & { readonly metadata: EventMetadata },
  state: Email,
  version: number,
  command: EmailCommand,
): Concluding {
  const { facts, idempotencyKey, metadata } = conclusion;
  const events = email.decide(command, state);
  const outcome = events.reduce(email.evolve, state);
  if (outcome.state !== 'concluded') throw new Error(`${command.kind} did not conclude email ${facts.email_id}`);
  const append = { streamId: emailStream(facts.email_id), expectedVersion: version, events, metadata };
  return { facts, command: conclusion.command, idempotencyKey, metadata, events, append, outcome };
}

const closedEmail = ({ facts, outcome }: Concluding) => ({
  serviceId: facts.service_id,
  record: recordOf(outcome),
  handedOver: outcome.handedOver,
  isUnresolved: isUnresolved(outcome),
});

function deferredIn({ facts, outcome }: Concluding) {
  const acceptedAt = new Date(facts.accepted_at);
  const deadline = retryDeadline(acceptedAt);
  const dueAt = nextTry(0, acceptedAt, deadline);
  return outcome.deferred.map(index => ({ emailId: facts.email_id, index, dueAt, deadline }));
}

/** A message that was not handed over has taken nothing: neither its key nor a place in the day. */
async function giveBack(client: ClientBase, conclusions: readonly Concluding[]): Promise<void> {
  const empty = conclusions.filter(({ outcome }) => !outcome.handedOver);
  await releaseKeys(client, empty.flatMap(claimOf));
  const counted = empty.filter(({ facts }) => facts.counts);
  await giveBackDays(
    client,
    counted.map(({ facts }) => ({ serviceId: facts.service_id, at: new Date(facts.accepted_at) })),
  );
}

function claimOf({ facts, idempotencyKey }: Conclusion) {
  return idempotencyKey === undefined
    ? []
    : [{ serviceId: facts.service_id, key: idempotencyKey, emailId: facts.email_id }];
}
