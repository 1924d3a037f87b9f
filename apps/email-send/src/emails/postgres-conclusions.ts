import { type Append, ConcurrencyConflict, type EventMetadata, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { ClientBase, Pool } from 'pg';
import { confirmOutcome } from './confirm-email.js';
import {
  type ConcludedEmail,
  type Email,
  type EmailCommand,
  type EmailEvent,
  email,
  emailStream,
  isUnresolved,
} from './email.js';
import { recordOf } from './email-record.js';
import { insertDeferredCopies, insertRecords } from './email-rows.js';
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
