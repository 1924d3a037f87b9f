import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { type Append, ConcurrencyConflict, type EventMetadata, fold, GroupCommit } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import { currentContext, inSharedSpan } from '@postern/messaging';
import { type ConcludedEmail, type EmailFacts, email, emailStream, isUnresolved } from '../../domain/email.js';
import { type EmailRecord, recordOf } from '../../domain/email-record.js';
import { deadlinePassed } from '../../domain/email-refusals.js';
import {
  type Admission,
  type AdmissionRequest,
  type Asking,
  type Conclusion,
  EmailLedger,
  type Repeated,
} from '../../ports.js';
import { findRepeated, judgeAdmissions, repeatedAnswer } from './admission-batch.js';
import { AnswerConfirmations } from './answer-confirmations.js';
import { type Concluding, concludeAgain, concludeEach, decided, withdrawAcceptance } from './conclusion-batch.js';
import { admitFast, concludeFast } from './fast-path.js';
import { insertOpenRequests } from './message-rows.js';

type InContext<T> = T & { readonly metadata: EventMetadata };

/** One flush at a time: what comes meanwhile shares the next, and two would only wait for each other's counters. */
const SHARED = { maxBatch: 128, flushers: 1 };
/** Messages beyond this size have a transaction of their own: a hundred of them at once would fill the memory. */
const LARGE_BODY = 256 * 1024;
const ANNOUNCE_DELAY_MS = 50;
/** How long the outcome of a message is written again where the database refuses it; a database that is away is waited for. */
const CONCLUDE_FOR_MS = 60_000;
/** Refusals seldom come alone: for so long after one, batches take the slow path at once. */
const SLOW_PATH_FOR_MS = 1_000;

/**
 * The ledger in PostgreSQL: two transactions a message, each shared by the messages that wait for one together, and each
 * a single statement unless something has to be decided on the way.
 */
@Injectable()
export class PostgresEmailLedger extends EmailLedger implements OnApplicationShutdown {
  readonly #admissions = new GroupCommit<InContext<AdmissionRequest>, Admission | Refusal>({
    ...SHARED,
    flush: batch => inSharedSpan('admission transaction', traces(batch), () => this.#admit(batch)),
  });
  readonly #largeAdmissions = new GroupCommit<InContext<AdmissionRequest>, Admission | Refusal>({
    maxBatch: 1,
    flush: batch => inSharedSpan('admission transaction', traces(batch), () => this.#admit(batch)),
  });
  readonly #conclusions = new GroupCommit<Concluding, ConcludedEmail | undefined>({
    ...SHARED,
    flush: batch => inSharedSpan('conclusion transaction', traces(batch), () => this.#conclude(batch)),
  });
  readonly #confirmations: AnswerConfirmations;

  #announcing = false;
  #slowPathUntil = 0;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly instanceId: string,
  ) {
    super();
    this.#confirmations = new AnswerConfirmations(store.pool);
  }

  /** Without this, requests answered a moment ago would look like such whose answer was lost. */
  async onApplicationShutdown(): Promise<void> {
    await this.#confirmations.flush();
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { html = '', text = '' } = request.body;
    const group = html.length + text.length > LARGE_BODY ? this.#largeAdmissions : this.#admissions;
    return grantedOrThrown(await group.submit({ ...request, metadata: metadataOf(request.facts) }));
  }

  async repeat(asking: Asking): Promise<Repeated | undefined> {
    const found = await findRepeated(this.store, asking);
    return found && grantedOrThrown(await repeatedAnswer(this.store.pool, asking, found));
  }

  /**
   * What the relay did cannot be undone, so an outage of the database is waited out. A second try after a commit that
   * nobody confirmed meets its own event and answers the outcome that stands.
   */
  async conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined> {
    const item = decided({ ...conclusion, metadata: metadataOf(conclusion.facts) });
    return untilWritten(() => this.#conclusions.submit(item));
  }

  async withdraw({ facts, idempotencyKey }: AdmissionRequest, reason: string, at: string): Promise<void> {
    const command = { kind: 'give_up', reason, at } as const;
    const conclusion = { facts, command, idempotencyKey, metadata: metadataOf(facts) };
    await untilWritten(() => withdrawAcceptance(this.store, conclusion));
  }

  async record(serviceId: string, emailId: string): Promise<EmailRecord | undefined> {
    const { rows } = await this.store.pool.query<{ record: string }>({
      name: 'find-email-record',
      text: 'SELECT record FROM emails WHERE id = $1 AND service_id = $2',
      values: [emailId, serviceId],
    });
    return rows[0] && (JSON.parse(rows[0].record) as EmailRecord);
  }

  async isUnderWay(serviceId: string, emailId: string): Promise<boolean> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    return state.state === 'accepted' && state.facts.service_id === serviceId;
  }

  answerReceived(emailId: string): void {
    this.#confirmations.add(emailId);
  }

  /** What waited here past its deadline is not begun. */
  async #admit(batch: readonly InContext<AdmissionRequest>[]): Promise<(Admission | Refusal)[]> {
    const now = Date.now();
    const inTime = batch.filter(({ answerBy }) => answerBy.getTime() > now);
    const outcomes = inTime.length > 0 ? await this.#admitInTime(inTime) : [];
    const judged = new Map(inTime.map((request, place) => [request, outcomes[place]!]));
    return batch.map(request => judged.get(request) ?? deadlinePassed());
  }

  async #admitInTime(batch: readonly InContext<AdmissionRequest>[]): Promise<(Admission | Refusal)[]> {
    const appends = batch.map(acceptance);
    const admitted =
      Date.now() < this.#slowPathUntil ? undefined : await admitFast(this.store.pool, batch, appends, this.instanceId);
    const judged = admitted ?? (await this.#judgeEach(batch, appends));
    this.#announceSoon();
    return judged;
  }

  async #judgeEach(
    batch: readonly InContext<AdmissionRequest>[],
    appends: readonly Append[],
  ): Promise<(Admission | Refusal)[]> {
    const judged = await admitSlow(this.store, batch, appends, this.instanceId);
    if (!judged.every(isAdmitted)) this.#slowPathUntil = Date.now() + SLOW_PATH_FOR_MS;
    return judged;
  }

  async #conclude(batch: readonly Concluding[]): Promise<(ConcludedEmail | undefined)[]> {
    const movedOn = new Set(
      batch.every(isPlain)
        ? await concludeFast(
            this.store.pool,
            batch.map(recordRow),
            batch.map(({ append }) => append),
          )
        : await concludeEach(this.store.pool, batch),
    );
    const outcomes = await Promise.all(
      batch.map((item, place) => (movedOn.has(place) ? concludeAgain(this.store, item) : item.outcome)),
    );
    this.#announceSoon();
    return outcomes;
  }

  /** Readers of the feed are woken for what a moment brought together: every round of theirs is a transaction. */
  #announceSoon(): void {
    if (this.#announcing) return;
    this.#announcing = true;
    setTimeout(() => {
      this.#announcing = false;
      this.store.announce();
    }, ANNOUNCE_DELAY_MS).unref();
  }
}

/** Admits what may be admitted, request by request in one transaction. */
export const admitSlow = (
  store: PostgresEventStore,
  batch: readonly AdmissionRequest[],
  appends: readonly Append[],
  instanceId: string,
): Promise<(Admission | Refusal)[]> =>
  inTransaction(store.pool, async client => {
    const outcomes = await judgeAdmissions(client, store, batch);
    const isIn = (_: unknown, place: number) => isAdmitted(outcomes[place]!);
    const admitted = batch.filter(isIn);
    if (admitted.length > 0) {
      const appended = await appendAll(client, appends.filter(isIn));
      const conflict = appended.find(result => result instanceof ConcurrencyConflict);
      if (conflict) throw conflict;
      await insertOpenRequests(client, admitted, instanceId);
    }
    return outcomes;
  });

/** The append that admits a message. */
export const acceptance = ({ facts, events, metadata }: InContext<AdmissionRequest>): Append => ({
  streamId: emailStream(facts.email_id),
  expectedVersion: 'none',
  events,
  metadata,
});

const recordRow = ({ facts, outcome }: Concluding) => ({ serviceId: facts.service_id, record: recordOf(outcome) });

/** Nothing is to be given back, nothing to be tried again, and nothing left for evidence to tell. */
const isPlain = ({ outcome }: Concluding): boolean =>
  outcome.handedOver && outcome.deferred.length === 0 && !isUnresolved(outcome);

const traces = (batch: readonly { readonly metadata: EventMetadata }[]) =>
  batch.map(({ metadata }) => metadata.traceparent);

const isAdmitted = (outcome: Admission | Refusal): boolean => 'kind' in outcome && outcome.kind === 'admitted';

/** The database cannot be reached, or takes no statements for now. */
const isAway = (error: unknown): boolean => {
  const { code, message } = error as { code?: unknown; message?: string };
  return /^(08|53|57|58)|^E[A-Z]{4,}/.test(String(code ?? '')) || /^Connection terminated/.test(message ?? '');
};

/** Writes again for as long as the database is away, and for a minute where it refuses. */
async function untilWritten<T>(write: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + CONCLUDE_FOR_MS;
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await write();
    } catch (error) {
      if (Date.now() + waitMs > giveUpAt && !isAway(error)) throw error;
      await pause(waitMs, undefined, { ref: false });
    }
  }
}

function grantedOrThrown<T>(outcome: T | Refusal): T {
  if (outcome instanceof Refusal) throw outcome;
  return outcome;
}

function metadataOf({ email_id }: EmailFacts): EventMetadata {
  const context = currentContext();
  return context
    ? { correlationId: context.correlationId, traceparent: context.traceparent }
    : { correlationId: email_id };
}
