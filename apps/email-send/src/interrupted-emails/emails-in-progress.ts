import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { PostgresEventStore, withLeadership } from '@postern/event-sourcing/postgres';
import { type EmailFacts, email, emailStream } from '../emails/email.js';
import { ProcessInstance, RENEWED_WITHIN_S } from '../infrastructure/postgres/process-instance.js';

/** Requests without an outcome. */
const IN_PROGRESS = `open_requests AS request
  WHERE NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)`;

/**
 * Dead processes with messages in progress. Nobody is known to be dead before this process held its own lease for `$2`
 * seconds: when PostgreSQL was away, live processes renew theirs in that time.
 */
export const LIST_DEAD_INSTANCES = `
  SELECT DISTINCT instance_id FROM ${IN_PROGRESS} AND instance_id <> $1
    AND NOT EXISTS (
      SELECT FROM event_store.leases
      WHERE name = 'email-send instance ' || instance_id AND expires_at > clock_timestamp())
    AND EXISTS (
      SELECT FROM event_store.leases
      WHERE name = 'email-send instance ' || $1 AND expires_at > clock_timestamp()
        AND since <= clock_timestamp() - make_interval(secs => $2))`;

/** Messages of a dead process. */
export const LIST_IN_PROGRESS = `SELECT email_id FROM ${IN_PROGRESS} AND instance_id = $1 ORDER BY email_id LIMIT $2`;

/** Messages that a live process admitted `$2` seconds ago, by the clock of PostgreSQL. */
export const LIST_OVERDUE = `
  SELECT email_id FROM ${IN_PROGRESS}
    AND instance_id = $1 AND admitted_at < now() - make_interval(secs => $2)
  ORDER BY email_id LIMIT $3`;

/** Deletes leases of processes that died and left no message in progress. */
export const FORGET_DEAD_INSTANCES = `
  DELETE FROM event_store.leases AS lease
  WHERE name LIKE 'email-send instance %' AND expires_at < clock_timestamp() - interval '1 hour'`;

const BATCH = 200;
/** Longer than a relay may consider a message: one of this process that is older was lost between its two transactions. */
const OVERDUE_S = 12 * 60;

type Close = (emails: readonly EmailFacts[]) => Promise<void>;

/** Finds messages of dead processes, whose leases have ended. */
@Injectable()
export class EmailsInProgress {
  protected readonly graceS: number = RENEWED_WITHIN_S;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly instance: ProcessInstance,
  ) {}

  /**
   * Calls `close` with the messages of dead processes, in batches, in one replica at a time. Messages of processes that
   * may still be alive are skipped.
   */
  async closeAbandoned(close: Close): Promise<void> {
    const { pool } = this.store;
    const { rows } = await pool.query<{ instance_id: string }>({
      name: 'list-dead-instances',
      text: LIST_DEAD_INSTANCES,
      values: [this.instance.id, this.graceS],
    });
    if (rows.length > 0) {
      // One replica at a time, so that nobody closes the same messages.
      await withLeadership(pool, 'close interrupted emails', new AbortController().signal, async lost => {
        for (const { instance_id } of rows) await this.#closeAll(LIST_IN_PROGRESS, [instance_id], close, lost);
        await pool.query(FORGET_DEAD_INSTANCES);
      });
    }
    await this.#closeAll(LIST_OVERDUE, [this.instance.id, OVERDUE_S], close);
  }

  async #closeAll(statement: string, of: readonly unknown[], close: Close, stop?: AbortSignal): Promise<void> {
    while (!stop?.aborted) {
      const { rows } = await this.store.pool.query<{ email_id: string }>(statement, [...of, BATCH]);
      if (rows.length === 0) return;
      await close(await Promise.all(rows.map(({ email_id }) => this.#facts(email_id))));
    }
  }

  async #facts(emailId: string): Promise<EmailFacts> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    if (state.state === 'new') throw new Error(`email ${emailId} is in progress but was never accepted`);
    return state.facts;
  }
}
