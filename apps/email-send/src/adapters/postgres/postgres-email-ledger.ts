import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { type Append, ConcurrencyConflict, type EventMetadata, GroupCommit } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import { currentContext, inSharedSpan } from '@postern/messaging';
import type { ClientBase } from 'pg';
import { type EmailFacts, emailStream } from '../../domain/email.js';
import { type EmailRecord, recordOf } from '../../domain/email-record.js';
import { nextTry, retryDeadline } from '../../domain/retry-schedule.js';
import {
  type Admission,
  type AdmissionRequest,
  type Asking,
  type Conclusion,
  EmailLedger,
  type Repeated,
} from '../../ports.js';
import { judgeAdmissions, repeatedAnswer } from './admission-batch.js';
import { recallKeys, releaseKeys } from './idempotency-claims.js';
import { closeWithRecords, insertDeferredCopies, insertUnderWay, readRecords } from './message-rows.js';
import { admitSmoothly, closeSmoothly } from './smooth-batches.js';
import { giveBackDays } from './usage-counters.js';

type InContext<T> = T & { readonly metadata: EventMetadata };
type Closing = { readonly serviceId: string; readonly record: EmailRecord };

/** One flush at a time: what comes meanwhile shares the next, and two would only wait for each other's counters. */
const SHARED = { maxBatch: 128, flushers: 1 };
/** Messages beyond this size have a transaction of their own: a hundred of them at once would fill the memory. */
const LARGE_BODY = 256 * 1024;
const ACCEPTED_VERSION = 1;
const ANNOUNCE_DELAY_MS = 50;
const CONCLUDE_FOR_MS = 60_000;
/** Refusals seldom come alone: for so long after one, batches are judged message by message at once. */
const JUDGE_EACH_FOR_MS = 1_000;

/**
 * The ledger in PostgreSQL: two transactions a message, each shared by the messages that wait for one together, and each
 * a single statement unless something has to be decided on the way.
 */
@Injectable()
export class PostgresEmailLedger extends EmailLedger {
  readonly #admissions = new GroupCommit<InContext<AdmissionRequest>, Admission | Refusal>({
    ...SHARED,
    flush: batch => inSharedSpan('admission transaction', traces(batch), () => this.#admit(batch)),
  });
  readonly #largeAdmissions = new GroupCommit<InContext<AdmissionRequest>, Admission | Refusal>({
    maxBatch: 1,
    flush: batch => inSharedSpan('admission transaction', traces(batch), () => this.#admit(batch)),
  });
  readonly #conclusions = new GroupCommit<InContext<Conclusion>, EmailRecord>({
    ...SHARED,
    flush: batch => inSharedSpan('conclusion transaction', traces(batch), () => this.#conclude(batch)),
  });

  #announcing = false;
  #judgeEachUntil = 0;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly instanceId: string,
  ) {
    super();
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { html = '', text = '' } = request.body;
    const lane = html.length + text.length > LARGE_BODY ? this.#largeAdmissions : this.#admissions;
    return grantedOrThrown(await lane.submit({ ...request, metadata: metadataOf(request.facts) }));
  }

  async repeat(asking: Asking): Promise<Repeated | undefined> {
    const { pool } = this.store;
    const found = (await recallKeys(pool, [asking])).get(asking);
    return found && grantedOrThrown(await repeatedAnswer(pool, asking, found));
  }

  /**
   * What the relay did cannot be undone, so an outage of the database is waited out. A second try after a commit that
   * nobody confirmed meets its own event and answers the record that stands.
   */
  async conclude(conclusion: Conclusion): Promise<EmailRecord> {
    const item = { ...conclusion, metadata: metadataOf(conclusion.facts) };
    const giveUpAt = Date.now() + CONCLUDE_FOR_MS;
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await this.#conclusions.submit(item);
      } catch (error) {
        if (Date.now() + waitMs > giveUpAt) throw error;
        await pause(waitMs);
      }
    }
  }

  async record(serviceId: string, emailId: string): Promise<EmailRecord | undefined> {
    const { rows } = await this.store.pool.query<{ record: string }>({
      name: 'find-email-record',
      text: 'SELECT record FROM emails WHERE id = $1 AND service_id = $2',
      values: [emailId, serviceId],
    });
    return rows[0] && (JSON.parse(rows[0].record) as EmailRecord);
  }

  async #admit(batch: readonly InContext<AdmissionRequest>[]): Promise<(Admission | Refusal)[]> {
    const appends = batch.map(acceptance);
    const smooth =
      Date.now() < this.#judgeEachUntil
        ? undefined
        : await admitSmoothly(this.store.pool, batch, appends, this.instanceId);
    const judged = smooth ?? (await this.#judgeEach(batch, appends));
    this.#announceSoon();
    return judged;
  }

  async #judgeEach(
    batch: readonly InContext<AdmissionRequest>[],
    appends: readonly Append[],
  ): Promise<(Admission | Refusal)[]> {
    const judged = await inTransaction(this.store.pool, async client => {
      const outcomes = await judgeAdmissions(client, batch);
      const isIn = (_: unknown, place: number) => isAdmitted(outcomes[place]!);
      const admitted = batch.filter(isIn);
      if (admitted.length > 0) {
        await insertUnderWay(client, admitted, this.instanceId);
        await appendAll(client, appends.filter(isIn));
      }
      return outcomes;
    });
    if (!judged.every(isAdmitted)) this.#judgeEachUntil = Date.now() + JUDGE_EACH_FOR_MS;
    return judged;
  }

  async #conclude(batch: readonly InContext<Conclusion>[]): Promise<EmailRecord[]> {
    const records = batch.map(({ facts, event }) => recordOf(facts, event));
    const closings = records.map((record, place) => ({ serviceId: batch[place]!.facts.service_id, record }));
    const standing = batch.every(isPlain)
      ? await this.#closePlainly(closings, batch.map(conclusionAppend))
      : await this.#closeEach(batch, closings);
    this.#announceSoon();
    return records.map(record => standing.get(record.id) ?? record);
  }

  /** What somebody else had closed over our head, taking us for dead, stands as they told it. */
  async #closePlainly(closings: readonly Closing[], appends: readonly Append[]): Promise<Map<string, EmailRecord>> {
    const others = await closeSmoothly(this.store.pool, closings, appends);
    return readRecords(this.store.pool, others);
  }

  #closeEach(batch: readonly InContext<Conclusion>[], closings: readonly Closing[]): Promise<Map<string, EmailRecord>> {
    return inTransaction(this.store.pool, async client => {
      const appended = await appendAll(client, batch.map(conclusionAppend));
      // Somebody closed the others over our head, taking us for dead: what they told stands.
      const isOurs = (_: unknown, place: number) => !(appended[place] instanceof ConcurrencyConflict);
      const ours = batch.filter(isOurs);
      await closeWithRecords(client, closings.filter(isOurs));
      await insertDeferredCopies(client, ours.flatMap(deferredIn));
      await giveBack(client, ours);
      const others = closings.filter((closing, place) => !isOurs(closing, place));
      return readRecords(
        client,
        others.map(({ record }) => record.id),
      );
    });
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

const acceptance = ({ facts, metadata }: InContext<AdmissionRequest>): Append => ({
  streamId: emailStream(facts.email_id),
  expectedVersion: 'none',
  events: [{ type: 'email-send.email-accepted.v1', data: facts }],
  metadata,
});

const conclusionAppend = ({ facts, event, metadata }: InContext<Conclusion>): Append => ({
  streamId: emailStream(facts.email_id),
  expectedVersion: ACCEPTED_VERSION,
  events: [event],
  metadata,
});

/** Nothing is to be given back, and nothing to be tried again. */
const isPlain = (conclusion: Conclusion): boolean =>
  conclusion.event.type === 'email-send.email-handed-over.v1' && deferredIn(conclusion).length === 0;

const traces = (batch: readonly InContext<unknown>[]) => batch.map(({ metadata }) => metadata.traceparent);

const isAdmitted = (outcome: Admission | Refusal): boolean => 'kind' in outcome && outcome.kind === 'admitted';

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

function deferredIn({ facts, event }: Conclusion) {
  if (event.type !== 'email-send.email-handed-over.v1') return [];
  const acceptedAt = new Date(facts.accepted_at);
  const deadline = retryDeadline(acceptedAt);
  return event.data.outcomes
    .filter(({ result }) => result === 'deferred')
    .map(({ index }) => ({ emailId: facts.email_id, index, dueAt: nextTry(0, acceptedAt, deadline), deadline }));
}

/** A message that was not handed over has taken nothing: neither its key nor a place in the day. */
async function giveBack(client: ClientBase, conclusions: readonly Conclusion[]): Promise<void> {
  const empty = conclusions.filter(({ event }) => event.type === 'email-send.email-not-handed-over.v1');
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
