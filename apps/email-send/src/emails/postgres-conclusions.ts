import { type Append, ConcurrencyConflict, type EventMetadata, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase, Pool } from 'pg';
import {
  type ConcludedEmail,
  type Email,
  type EmailCommand,
  type EmailEvent,
  type EmailFacts,
  type EmailRecord,
  email,
  emailStream,
  isUnresolved,
  recordOf,
} from './email.js';
import { RESOLVE_RECORD } from './email-rows.sql.js';
import { INSERT_DEFERRED_COPIES, INSERT_RECORDS } from './emails.sql.js';
import type { Conclusion } from './ports.js';
import { releaseKeys } from './postgres-idempotency-keys.js';
import { subtractFromDays } from './postgres-usage-counters.js';
import { nextTry, retryDeadline } from './retry-schedule.js';

const ATTEMPTS = 5;

/** A conclusion with the metadata of its events. */
export type ConclusionInContext = Conclusion & { readonly metadata: EventMetadata };

/** A conclusion with the decision about it. */
export interface DecidedConclusion extends ConclusionInContext {
  readonly events: readonly EmailEvent[];
  readonly append: Append;
  readonly outcome: ConcludedEmail;
}

/** Decides a conclusion on the assumption that nothing has happened since the acceptance, which is nearly always true. */
export const decide = (conclusion: ConclusionInContext): DecidedConclusion =>
  decideOn(conclusion, { state: 'accepted', facts: conclusion.facts }, 1, conclusion.command);

/** Records conclusions one by one in one transaction. Returns the indexes whose stream has changed meanwhile. */
export const concludeEach = (pool: Pool, batch: readonly DecidedConclusion[]): Promise<number[]> =>
  inTransaction(pool, async client => {
    const appended = await appendAll(
      client,
      batch.map(({ append }) => append),
    );
    const recorded = batch.filter((_, place) => !(appended[place] instanceof ConcurrencyConflict));
    await insertRecords(client, recorded.map(closedEmail));
    await insertDeferredCopies(client, recorded.flatMap(deferredIn));
    await releaseUnsent(client, recorded);
    return [...batch.keys()].filter(place => appended[place] instanceof ConcurrencyConflict);
  });

/**
 * Decides and records a conclusion again, on the current stream: evidence arrived first, or another process considered this
 * one dead and closed the message. Returns the stored outcome.
 */
export async function concludeAgain(
  store: PostgresEventStore,
  conclusion: DecidedConclusion,
): Promise<ConcludedEmail | undefined> {
  for (let attempt = 1; ; attempt++) {
    const history = await store.readStream(emailStream(conclusion.facts.email_id));
    const state = fold(email, history);
    if (state.state === 'new') return undefined;
    if (state.state === 'concluded') return confirmLate(store, conclusion, state, history.length);
    const again = decideOn(conclusion, state, history.length, conclusion.command);
    if ((await concludeEach(store.pool, [again])).length === 0) return again.outcome;
    if (attempt === ATTEMPTS) throw new ConcurrencyConflict(again.append.streamId, history.length, history.length + 1);
  }
}

/** Concludes a message that was accepted at exactly that time and has no outcome yet. */
export async function withdrawAcceptance(store: PostgresEventStore, conclusion: ConclusionInContext): Promise<void> {
  const { email_id, accepted_at } = conclusion.facts;
  const history = await store.readStream(emailStream(email_id));
  const state = fold(email, history);
  if (state.state !== 'accepted' || state.facts.accepted_at !== accepted_at) return;
  await concludeEach(store.pool, [decideOn(conclusion, state, history.length, conclusion.command)]);
}

/** A late answer of the relay is the best evidence that an interrupted message was handed over. */
async function confirmLate(
  store: PostgresEventStore,
  { facts, command, metadata }: DecidedConclusion,
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

function decideOn(
  conclusion: ConclusionInContext,
  state: Email,
  version: number,
  command: EmailCommand,
): DecidedConclusion {
  const { facts, idempotencyKey, metadata } = conclusion;
  const events = email.decide(command, state);
  const outcome = events.reduce(email.evolve, state);
  if (outcome.state !== 'concluded') throw new Error(`${command.kind} did not conclude email ${facts.email_id}`);
  const append = { streamId: emailStream(facts.email_id), expectedVersion: version, events, metadata };
  return { facts, command: conclusion.command, idempotencyKey, metadata, events, append, outcome };
}

const closedEmail = ({ facts, outcome }: DecidedConclusion) => ({
  serviceId: facts.service_id,
  record: recordOf(outcome),
  handedOver: outcome.handedOver,
  isUnresolved: isUnresolved(outcome),
});

function deferredIn({ facts, outcome }: DecidedConclusion) {
  const acceptedAt = new Date(facts.accepted_at);
  const deadline = retryDeadline(acceptedAt);
  const dueAt = nextTry(0, acceptedAt, deadline);
  return outcome.deferred.map(index => ({ emailId: facts.email_id, index, dueAt, deadline }));
}

/** A message that was not handed over keeps neither its idempotency key nor its count. */
async function releaseUnsent(client: ClientBase, conclusions: readonly DecidedConclusion[]): Promise<void> {
  const unsent = conclusions.filter(({ outcome }) => !outcome.handedOver);
  await releaseKeys(client, unsent.flatMap(claimOf));
  await subtractFromDays(
    client,
    unsent.map(({ facts }) => facts),
  );
}

function claimOf({ facts, idempotencyKey }: Conclusion) {
  return idempotencyKey === undefined
    ? []
    : [{ serviceId: facts.service_id, key: idempotencyKey, emailId: facts.email_id }];
}

interface ClosedEmail {
  readonly serviceId: string;
  readonly record: EmailRecord;
  /** False when a retry is a new message, so that nothing has to recognise it. */
  readonly handedOver: boolean;
  /** The outcome is unknown until evidence arrives. */
  readonly isUnresolved: boolean;
}

/** Stores the records of concluded messages. */
async function insertRecords(client: ClientBase, closed: readonly ClosedEmail[]): Promise<void> {
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

/** Stores copies that a relay deferred, for later attempts. */
async function insertDeferredCopies(
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

/** Replaces the record of a message whose outcome was unknown. */
async function resolveRecord(client: ClientBase, record: EmailRecord): Promise<void> {
  await client.query({
    name: 'resolve-email-record',
    text: RESOLVE_RECORD,
    values: [record.id, JSON.stringify(record)],
  });
}
