import { Injectable } from '@nestjs/common';
import { ConcurrencyConflict, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { EMAIL_EVENTS, type Email, email, emailStream, isUnresolved } from '../emails/email.js';
import { recordOf } from '../emails/email-record.js';
import type { CopyAnswer } from '../emails/hand-over.js';
import { nextTry } from '../emails/retry-schedule.js';
import { BodySeal, type StoredBody } from '../infrastructure/postgres/body-seal.js';
import { resolveRecord } from '../infrastructure/postgres/email-rows.js';
import { CLAIM_CUT_OFF, CLAIM_DUE, DELETE_COPY, SCHEDULE_RETRY } from './deferred-copies.sql.js';
import { type ClaimedCopy, DeferredCopies } from './ports.js';

const ATTEMPTS = 5;

interface ClaimRow extends StoredBody {
  readonly email_id: string;
  readonly recipient_index: number;
  readonly tries: number;
  readonly deadline: Date;
  readonly claim: string;
}

class ClaimLost extends Error {}

/** Deferred copies in PostgreSQL, shared by all replicas: each attempt has a claim with a lease and a fencing token. */
@Injectable()
export class PostgresDeferredCopies extends DeferredCopies {
  constructor(
    private readonly store: PostgresEventStore,
    private readonly seal: BodySeal,
  ) {
    super();
  }

  claimDue(now: Date, atMost: number): Promise<readonly ClaimedCopy[]> {
    return this.#claim(CLAIM_DUE, now, atMost);
  }

  claimCutOff(now: Date, atMost: number): Promise<readonly ClaimedCopy[]> {
    return this.#claim(CLAIM_CUT_OFF, now, atMost);
  }

  async settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#settleOnce(copy, answer, at);
        this.store.announce(EMAIL_EVENTS);
        return;
      } catch (error) {
        if (error instanceof ClaimLost) return;
        if (!(error instanceof ConcurrencyConflict) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #settleOnce(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void> {
    const streamId = emailStream(copy.facts.email_id);
    const history = await this.store.readStream(streamId);
    const last = at >= copy.deadline;
    const command = { kind: 'record_try', index: copy.recipientIndex, answer, last, at: at.toISOString() } as const;
    const state = fold(email, history);
    const events = email.decide(command, state);
    const next = events.reduce(email.evolve, state);
    const [event] = events;
    const retries = event?.type === 'email-send.email-copy-retried.v1' && event.data.outcome.result === 'deferred';
    await inTransaction(this.store.pool, async client => {
      if (events.length > 0) {
        // First, so that the order of transactions stays the order of versions within the stream.
        const [appended] = await appendAll(client, [
          { streamId, events, expectedVersion: history.length, metadata: copy.origin },
        ]);
        if (appended instanceof ConcurrencyConflict) throw appended;
        if (isUnresolvedEmail(state) && next.state === 'concluded' && next.status === 'sent')
          await resolveRecord(client, recordOf(next));
      }
      const { rowCount } = await client.query(retries ? SCHEDULE_RETRY : DELETE_COPY, [
        copy.facts.email_id,
        copy.recipientIndex,
        copy.claim,
        ...(retries ? [nextTry(copy.tries + 1, at, copy.deadline)] : []),
      ]);
      if (rowCount === 0) throw new ClaimLost();
    });
  }

  async #claim(statement: string, now: Date, atMost: number): Promise<ClaimedCopy[]> {
    const { rows } = await this.store.pool.query<ClaimRow>(statement, [now, atMost]);
    return Promise.all(rows.map(row => this.#copyOf(row)));
  }

  async #copyOf({ email_id, recipient_index, tries, deadline, claim, ...stored }: ClaimRow): Promise<ClaimedCopy> {
    const history = await this.store.readStream(emailStream(email_id));
    const state = fold(email, history);
    const [accepted] = history;
    if (!accepted || state.state === 'new') throw new Error(`the deferred copy of ${email_id} has no message`);
    const body = this.seal.open(email_id, stored);
    const { metadata: origin } = accepted;
    return { facts: state.facts, origin, body, recipientIndex: recipient_index, tries, deadline, claim };
  }
}

const isUnresolvedEmail = (state: Email): boolean => state.state === 'concluded' && isUnresolved(state);
