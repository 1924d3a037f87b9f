import { Injectable } from '@nestjs/common';
import { ConcurrencyConflict, fold } from '@postern/event-sourcing';
import { appendAll, inTransaction, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import { type Email, email, emailStream, isUnresolved } from '../../domain/email.js';
import type { EmailBody } from '../../domain/email-copies.js';
import { recordOf } from '../../domain/email-record.js';
import type { CopyAnswer } from '../../domain/hand-over.js';
import { nextTry } from '../../domain/retry-schedule.js';
import { type ClaimedCopy, DeferredCopies } from '../../ports.js';
import { resolveRecord } from './message-rows.js';

/** Longer than any try can take, its waiting for a connection included. */
const LEASE_S = 300;
const ATTEMPTS = 5;

interface ClaimRow {
  readonly email_id: string;
  readonly recipient_index: number;
  readonly tries: number;
  readonly deadline: Date;
  readonly claim: string;
  readonly content: string;
}

class ClaimPassedOn extends Error {}

/** Deferred copies in PostgreSQL, shared by all replicas: each try has a claim with a lease and a fence. */
@Injectable()
export class PostgresDeferredCopies extends DeferredCopies {
  constructor(private readonly store: PostgresEventStore) {
    super();
  }

  claimDue(now: Date, atMost: number): Promise<readonly ClaimedCopy[]> {
    return this.#claim('claim IS NULL AND due_at <= $1', now, atMost);
  }

  claimCutOff(now: Date, atMost: number): Promise<readonly ClaimedCopy[]> {
    return this.#claim('claim IS NOT NULL AND claimed_until <= $1', now, atMost);
  }

  async settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#settleOnce(copy, answer, at);
        this.store.announce();
        return;
      } catch (error) {
        if (error instanceof ClaimPassedOn) return;
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
    const goesOn = event?.type === 'email-send.email-copy-retried.v1' && event.data.outcome.result === 'deferred';
    await inTransaction(this.store.pool, async client => {
      if (events.length > 0) {
        // First of all, so that the order of transactions stays the order of versions within the stream.
        const [appended] = await appendAll(client, [
          { streamId, events, expectedVersion: history.length, metadata: copy.origin },
        ]);
        if (appended instanceof ConcurrencyConflict) throw appended;
        if (isUnresolvedEmail(state) && next.state === 'concluded' && next.status === 'sent')
          await resolveRecord(client, recordOf(next));
      }
      const { rowCount } = await client.query(goesOn ? TRY_AGAIN : DONE, [
        copy.facts.email_id,
        copy.recipientIndex,
        copy.claim,
        ...(goesOn ? [nextTry(copy.tries + 1, at, copy.deadline)] : []),
      ]);
      if (rowCount === 0) throw new ClaimPassedOn();
    });
  }

  async #claim(condition: string, now: Date, atMost: number): Promise<ClaimedCopy[]> {
    const { rows } = await this.store.pool.query<ClaimRow>(
      `UPDATE deferred_copies AS copy
       SET claim = gen_random_uuid(), claimed_until = $1::timestamptz + make_interval(secs => ${LEASE_S})
       FROM email_bodies AS body
       WHERE body.email_id = copy.email_id AND (copy.email_id, copy.recipient_index) IN (
         SELECT email_id, recipient_index FROM deferred_copies WHERE ${condition}
         ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       RETURNING copy.email_id, copy.recipient_index, copy.tries, copy.deadline, copy.claim, body.content`,
      [now, atMost],
    );
    return Promise.all(rows.map(row => this.#copyOf(row)));
  }

  async #copyOf({ email_id, recipient_index, tries, deadline, claim, content }: ClaimRow): Promise<ClaimedCopy> {
    const history = await this.store.readStream(emailStream(email_id));
    const state = fold(email, history);
    const [accepted] = history;
    if (!accepted || state.state === 'new') throw new Error(`the deferred copy of ${email_id} has no message`);
    const body = JSON.parse(content) as EmailBody;
    const { metadata: origin } = accepted;
    return { facts: state.facts, origin, body, recipientIndex: recipient_index, tries, deadline, claim };
  }
}

const isUnresolvedEmail = (state: Email): boolean => state.state === 'concluded' && isUnresolved(state);

const TRY_AGAIN = `
  UPDATE deferred_copies SET claim = NULL, claimed_until = NULL, tries = tries + 1, due_at = $4
  WHERE email_id = $1 AND recipient_index = $2 AND claim = $3`;

const DONE = 'DELETE FROM deferred_copies WHERE email_id = $1 AND recipient_index = $2 AND claim = $3';
