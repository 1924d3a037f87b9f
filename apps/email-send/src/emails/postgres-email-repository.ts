import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { type Append, type EventMetadata, fold, GroupCommit } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { currentContext, inSharedSpan, inSpan } from '@postern/messaging';
import { DatabaseClock, type DatabaseTime, Metrics, mayHaveCommitted } from '@postern/service-host';
import { ProcessInstance } from '../infrastructure/postgres/process-instance.js';
import { untilWritten } from '../infrastructure/postgres/until-written.js';
import { BodySeal } from './body-seal.js';
import {
  type ConcludedEmail,
  type EmailFacts,
  type EmailRecord,
  email,
  emailStream,
  isUnresolved,
  recordOf,
} from './email.js';
import type { EmailBody } from './email-copies.js';
import { deadlinePassed } from './email-refusals.js';
import { FIND_RECORD } from './emails.sql.js';
import {
  type Admission,
  type AdmissionContext,
  type AdmissionRequest,
  type Conclusion,
  EmailRepository,
  type RepeatedAnswer,
} from './ports.js';
import {
  concludeAgain,
  concludeEach,
  type DecidedConclusion,
  decide,
  withdrawAcceptance,
} from './postgres-conclusions.js';
import { type AdmissionWriter, AnswerConfirmations, admitBatch, concludeBatch } from './postgres-fast-path.js';
import { admitEach, findEarlier, isAdmitted, repeatedAnswer } from './postgres-slow-path.js';

type InContext<T> = T & { readonly metadata: EventMetadata };

/** One flush at a time: two would only wait for each other's counters. */
const SHARED = { maxBatch: 128, flushers: 1 };
/** Larger messages get a separate transaction: a hundred of them in one batch would exhaust the memory. */
const LARGE_BODY = 256 * 1024;
/** Refusals come in groups: for so long after one, batches use the slow path at once. */
const SLOW_PATH_FOR_MS = 1_000;

/**
 * Messages in PostgreSQL: two transactions per message, shared by messages that wait at the same time. Each transaction is
 * one statement (the fast path) unless something has to be decided (the slow path).
 */
@Injectable()
export class PostgresEmailRepository extends EmailRepository implements OnApplicationShutdown {
  readonly #admissions = new GroupCommit<InContext<AdmissionRequest>, Admission | Refusal>({
    ...SHARED,
    flush: batch => inSharedSpan('admission transaction', traces(batch), () => this.#admit(batch)),
  });
  readonly #largeAdmissions = new GroupCommit<InContext<AdmissionRequest>, Admission | Refusal>({
    maxBatch: 1,
    flush: batch => inSharedSpan('admission transaction', traces(batch), () => this.#admit(batch)),
  });
  readonly #conclusions = new GroupCommit<DecidedConclusion, ConcludedEmail | undefined>({
    ...SHARED,
    flush: batch => inSharedSpan('conclusion transaction', traces(batch), () => this.#conclude(batch)),
  });
  readonly #confirmations: AnswerConfirmations;
  readonly #writer: AdmissionWriter;

  #slowPathUntil = 0;

  constructor(
    private readonly store: PostgresEventStore,
    instance: ProcessInstance,
    seal: BodySeal,
    @Inject(DatabaseClock) private readonly clock: DatabaseTime,
  ) {
    super();
    this.#writer = { instanceId: instance.id, seal };
    this.#confirmations = new AnswerConfirmations(store.pool);
  }

  /** Otherwise, requests answered a moment ago would look as if their answer was lost. */
  async onApplicationShutdown(): Promise<void> {
    await this.#confirmations.flush();
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const group = lengthOf(request.body) > LARGE_BODY ? this.#largeAdmissions : this.#admissions;
    return valueOrThrow(await group.submit({ ...request, metadata: metadataOf(request.facts) }));
  }

  async findRepeated(context: AdmissionContext): Promise<RepeatedAnswer | undefined> {
    const earlier = await findEarlier(this.store, context);
    return earlier && valueOrThrow(await repeatedAnswer(this.store.pool, context, earlier));
  }

  /**
   * Waits while the database is unavailable, because a hand-over cannot be undone. A retry after an unconfirmed commit finds
   * its own event and returns the stored outcome.
   */
  async conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined> {
    const decided = decide({ ...conclusion, metadata: metadataOf(conclusion.facts) });
    return untilWritten(() => this.#conclusions.submit(decided));
  }

  async withdraw({ facts, idempotencyKey }: AdmissionRequest, cause: unknown, at: string): Promise<void> {
    if (!mayHaveCommitted(cause)) return;
    const command = { kind: 'give_up', reason: 'internal error', at } as const;
    const conclusion = { facts, command, idempotencyKey, metadata: metadataOf(facts) };
    await untilWritten(() => withdrawAcceptance(this.store, conclusion));
  }

  async record(serviceId: string, emailId: string): Promise<EmailRecord | undefined> {
    const { rows } = await this.store.pool.query<{ record: string }>({
      name: 'find-email-record',
      text: FIND_RECORD,
      values: [emailId, serviceId],
    });
    return rows[0] && (JSON.parse(rows[0].record) as EmailRecord);
  }

  async isInProgress(serviceId: string, emailId: string): Promise<boolean> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    return state.state === 'accepted' && state.facts.service_id === serviceId;
  }

  answerReceived(emailId: string): void {
    this.#confirmations.add(emailId);
  }

  /** Requests that waited here past their deadline are refused. */
  async #admit(batch: readonly InContext<AdmissionRequest>[]): Promise<(Admission | Refusal)[]> {
    const now = this.clock.now();
    const inTime = batch.filter(({ answerBy }) => answerBy > now);
    const outcomes = inTime.length > 0 ? await this.#admitInTime(inTime) : [];
    const outcomeOf = new Map(inTime.map((request, place) => [request, outcomes[place]!]));
    return batch.map(request => outcomeOf.get(request) ?? deadlinePassed());
  }

  async #admitInTime(batch: readonly InContext<AdmissionRequest>[]): Promise<(Admission | Refusal)[]> {
    const appends = batch.map(acceptance);
    const { pool } = this.store;
    const admitted =
      performance.now() < this.#slowPathUntil ? undefined : await admitBatch(pool, batch, appends, this.#writer);
    return admitted ?? this.#admitEach(batch, appends);
  }

  async #admitEach(
    batch: readonly InContext<AdmissionRequest>[],
    appends: readonly Append[],
  ): Promise<(Admission | Refusal)[]> {
    const outcomes = await admitEach(this.store, batch, appends, this.#writer);
    if (!outcomes.every(isAdmitted)) this.#slowPathUntil = performance.now() + SLOW_PATH_FOR_MS;
    return outcomes;
  }

  async #conclude(batch: readonly DecidedConclusion[]): Promise<(ConcludedEmail | undefined)[]> {
    const changed = new Set(
      batch.every(isPlain)
        ? await concludeBatch(
            this.store.pool,
            batch.map(recordRow),
            batch.map(({ append }) => append),
          )
        : await concludeEach(this.store.pool, batch),
    );
    const outcomes = await Promise.all(
      batch.map((decided, place) => (changed.has(place) ? concludeAgain(this.store, decided) : decided.outcome)),
    );
    // Not at the admission: a consumer reads both events of a message in one page.
    this.store.announce(batch.flatMap(({ events }) => events));
    return outcomes;
  }
}

const lengthOf = ({ html = '', text = '', submitted, attachments = [] }: EmailBody): number =>
  html.length +
  text.length +
  (submitted?.mime.length ?? 0) +
  attachments.reduce((sum, { content }) => sum + content.length, 0);

/** The append that admits a message. */
export const acceptance = ({ facts, events, metadata }: InContext<AdmissionRequest>): Append => ({
  streamId: emailStream(facts.email_id),
  expectedVersion: 'none',
  events,
  metadata,
});

const recordRow = ({ facts, outcome }: DecidedConclusion) => ({
  serviceId: facts.service_id,
  record: recordOf(outcome),
});

/** Whether the fast path can record the outcome: nothing to release, to retry or to resolve later. */
const isPlain = ({ outcome }: DecidedConclusion): boolean =>
  outcome.handedOver && outcome.deferred.length === 0 && !isUnresolved(outcome);

const traces = (batch: readonly { readonly metadata: EventMetadata }[]) =>
  batch.map(({ metadata }) => metadata.traceparent);

function valueOrThrow<T>(outcome: T | Refusal): T {
  if (outcome instanceof Refusal) throw outcome;
  return outcome;
}

function metadataOf({ email_id }: EmailFacts): EventMetadata {
  const context = currentContext();
  return context
    ? { correlationId: context.correlationId, traceparent: context.traceparent }
    : { correlationId: email_id };
}

const MODES = ['production', 'sandbox', 'sandbox_fallback'] as const;
const FAILURES = ['failed', 'not_handed_over', 'interrupted'] as const;

/** Counts admitted and concluded messages, and traces how long they wait for the database. */
@Injectable()
export class InstrumentedEmailRepository extends EmailRepository {
  readonly #accepted;
  readonly #sent;
  readonly #failed;

  constructor(
    private readonly emails: PostgresEmailRepository,
    metrics: Metrics,
  ) {
    super();
    const meter = metrics.meter('postern.emails');
    this.#accepted = meter.createCounter('postern.emails.accepted', { description: 'Accepted messages' });
    this.#sent = meter.createCounter('postern.emails.sent', {
      description: 'Messages with at least one copy accepted by a relay',
    });
    this.#failed = meter.createCounter('postern.emails.failed', { description: 'Messages with no accepted copy' });
    // Prometheus sees no increase in a counter whose first sample is not zero.
    for (const mode of MODES) this.#accepted.add(0, { mode });
    this.#sent.add(0);
    for (const reason of FAILURES) this.#failed.add(0, { reason });
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const admission = await inSpan('admit message', {}, () => this.emails.admit(request));
    if (admission.kind === 'admitted') this.#accepted.add(1, { mode: request.facts.mode });
    return admission;
  }

  findRepeated(context: AdmissionContext) {
    return this.emails.findRepeated(context);
  }

  async conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined> {
    const outcome = await inSpan('conclude message', {}, () => this.emails.conclude(conclusion));
    if (!outcome) return undefined;
    if (outcome.status === 'sent') this.#sent.add(1);
    else this.#failed.add(1, { reason: failureOf(conclusion, outcome) });
    return outcome;
  }

  withdraw(request: AdmissionRequest, cause: unknown, at: string) {
    return this.emails.withdraw(request, cause, at);
  }

  record(serviceId: string, emailId: string) {
    return this.emails.record(serviceId, emailId);
  }

  isInProgress(serviceId: string, emailId: string) {
    return this.emails.isInProgress(serviceId, emailId);
  }

  answerReceived(emailId: string) {
    this.emails.answerReceived(emailId);
  }
}

const failureOf = ({ command }: Conclusion, { handedOver }: ConcludedEmail): (typeof FAILURES)[number] => {
  if (!handedOver) return 'not_handed_over';
  return command.kind === 'interrupt' ? 'interrupted' : 'failed';
};
