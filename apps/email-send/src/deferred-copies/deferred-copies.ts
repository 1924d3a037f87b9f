import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConcurrencyConflict, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { mayHaveCommitted } from '@postern/service-host';
import { BodySeal, type StoredBody } from '../emails/body-seal.js';
import { EMAIL_EVENTS, type Email, email, emailStream, isUnresolved, recordOf } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';
import { FIND_BODY, RESOLVE_RECORD } from '../emails/email-rows.sql.js';
import { nextTry } from '../emails/retry-schedule.js';
import { GRACE_AFTER_RESTART_S, hasRunFor } from '../infrastructure/postgres/after-restart.js';
import { untilWritten } from '../infrastructure/postgres/until-written.js';
import type { CopyAnswer } from '../relay/hand-over.js';
import { type ClaimedCopy, type DeferredMessage, UnreadableBody } from './ports.js';

/** Longer than any attempt can take, including the wait for a connection. */
const LEASE_S = 300;

const claim = (condition: string): string => `
  WITH due AS MATERIALIZED (
    SELECT email_id, recipient_index FROM deferred_copies WHERE ${condition}
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE deferred_copies AS copy
  SET claim = $3::uuid, claimed_until = $1::timestamptz + make_interval(secs => ${LEASE_S})
  FROM due WHERE copy.email_id = due.email_id AND copy.recipient_index = due.recipient_index
  RETURNING copy.email_id, copy.recipient_index, copy.tries, copy.deadline, copy.claim`;

/** Claims due copies. */
export const CLAIM_DUE = claim('claim IS NULL AND due_at <= $1');

/** Claims copies whose claim expired without an outcome, if PostgreSQL has run long enough to know that. */
export const CLAIM_CUT_OFF = claim(`claim IS NOT NULL AND claimed_until <= $1 AND ${hasRunFor('$4')}`);

/** Ends all claims with one token; the copies stay due. */
export const RELEASE_CLAIMS = 'UPDATE deferred_copies SET claim = NULL, claimed_until = NULL WHERE claim = $1';

/** Ends a claim without an attempt, if it still holds. */
export const RELEASE_COPY = `
  UPDATE deferred_copies SET claim = NULL, claimed_until = NULL, due_at = $4
  WHERE email_id = $1 AND recipient_index = $2 AND claim = $3`;

/** Schedules the next attempt, if the claim still holds. */
export const SCHEDULE_RETRY = `
  UPDATE deferred_copies SET claim = NULL, claimed_until = NULL, tries = tries + 1, due_at = $4
  WHERE email_id = $1 AND recipient_index = $2 AND claim = $3`;

/** Deletes a copy whose outcome is final, if the claim still holds. */
export const DELETE_COPY = 'DELETE FROM deferred_copies WHERE email_id = $1 AND recipient_index = $2 AND claim = $3';

const ATTEMPTS = 5;

interface ClaimRow {
  readonly email_id: string;
  readonly recipient_index: number;
  readonly tries: number;
  readonly deadline: Date;
  readonly claim: string;
}

class ClaimLost extends Error {}

/** Deferred copies in PostgreSQL, shared by all replicas: each attempt has a claim with a lease and a fencing token. */
@Injectable()
export class DeferredCopies {
  protected readonly graceAfterRestartS: number = GRACE_AFTER_RESTART_S;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly seal: BodySeal,
  ) {}

  /** A claim without a response may be committed; nothing is handed over under it. */
  async claimDue(now: Date, atMost: number): Promise<readonly ClaimedCopy[]> {
    const claim = randomUUID();
    try {
      return await this.#claim(CLAIM_DUE, [now, atMost, claim]);
    } catch (error) {
      if (mayHaveCommitted(error)) await untilWritten(() => this.store.pool.query(RELEASE_CLAIMS, [claim]));
      throw error;
    }
  }

  /** Claims copies whose attempt was cut off by a crash: it is unknown whether the relay accepted them. */
  claimCutOff(now: Date, atMost: number): Promise<readonly ClaimedCopy[]> {
    return this.#claim(CLAIM_CUT_OFF, [now, atMost, randomUUID(), this.graceAfterRestartS]);
  }

  /** @throws UnreadableBody */
  async messageOf({ emailId }: ClaimedCopy): Promise<DeferredMessage> {
    const history = await this.store.readStream(emailStream(emailId));
    const state = fold(email, history);
    const [accepted] = history;
    if (!accepted || state.state === 'new') throw new Error(`the deferred copy of ${emailId} has no message`);
    const { rows } = await this.store.pool.query<StoredBody>(FIND_BODY, [emailId]);
    return { facts: state.facts, origin: accepted.metadata, body: this.#open(emailId, rows[0]) };
  }

  /** Ends a claim under which nothing was handed over. It does not count as an attempt. */
  async release({ emailId, recipientIndex, claim }: ClaimedCopy, dueAt: Date): Promise<void> {
    await untilWritten(() => this.store.pool.query(RELEASE_COPY, [emailId, recipientIndex, claim, dueAt]));
  }

  /** Waits while the database is unavailable, because a hand-over cannot be undone. */
  async settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void> {
    await untilWritten(() => this.#settle(copy, answer, at));
  }

  async #settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void> {
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
    const streamId = emailStream(copy.emailId);
    const history = await this.store.readStream(streamId);
    const last = at >= copy.deadline;
    const command = { kind: 'record_try', index: copy.recipientIndex, answer, last, at: at.toISOString() } as const;
    const state = fold(email, history);
    const events = email.decide(command, state);
    const next = events.reduce(email.evolve, state);
    const [event] = events;
    const retries = event?.type === 'email-send.email-copy-retried.v1' && event.data.outcome.result === 'deferred';
    await inTransaction(this.store.pool, async client => {
      const [accepted] = history;
      if (accepted && events.length > 0) {
        // First, so that the order of transactions stays the order of versions within the stream.
        const [appended] = await appendAll(client, [
          { streamId, events, expectedVersion: history.length, metadata: accepted.metadata },
        ]);
        if (appended instanceof ConcurrencyConflict) throw appended;
        if (isUnresolvedEmail(state) && next.state === 'concluded' && next.status === 'sent')
          await client.query(RESOLVE_RECORD, [copy.emailId, JSON.stringify(recordOf(next))]);
      }
      const { rowCount } = await client.query(retries ? SCHEDULE_RETRY : DELETE_COPY, [
        copy.emailId,
        copy.recipientIndex,
        copy.claim,
        ...(retries ? [nextTry(copy.tries + 1, at, copy.deadline)] : []),
      ]);
      if (rowCount === 0) throw new ClaimLost();
    });
  }

  async #claim(statement: string, values: readonly unknown[]): Promise<ClaimedCopy[]> {
    const { rows } = await this.store.pool.query<ClaimRow>(statement, [...values]);
    return rows.map(({ email_id: emailId, recipient_index: recipientIndex, ...row }) => ({
      emailId,
      recipientIndex,
      ...row,
    }));
  }

  #open(emailId: string, stored: StoredBody | undefined): EmailBody {
    if (stored === undefined) throw new UnreadableBody('its stored content could not be read');
    try {
      return this.seal.open(emailId, stored);
    } catch (cause) {
      throw new UnreadableBody('its stored content could not be read', { cause });
    }
  }
}

const isUnresolvedEmail = (state: Email): boolean => state.state === 'concluded' && isUnresolved(state);
