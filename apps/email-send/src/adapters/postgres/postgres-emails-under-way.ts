import { Injectable } from '@nestjs/common';
import type { EventStore } from '@postern/event-sourcing';
import { fold } from '@postern/event-sourcing';
import type pg from 'pg';
import { type EmailFacts, email, emailStream } from '../../domain/email.js';
import { EmailsUnderWay } from '../../ports.js';
import { LOCK_OF_INSTANCE } from './process-instance.js';

const BATCH = 200;
/** After a restart of PostgreSQL the living need a moment to take their locks again. */
const GRACE_AFTER_RESTART_S = 15;

/** Finds messages whose process is gone: its session lock is free. */
@Injectable()
export class PostgresEmailsUnderWay extends EmailsUnderWay {
  constructor(
    private readonly pool: pg.Pool,
    private readonly store: EventStore,
    private readonly instanceId: string,
    private readonly graceAfterRestartS = GRACE_AFTER_RESTART_S,
  ) {
    super();
  }

  async abandoned(close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void> {
    const { rows } = await this.pool.query<{ instance_id: string; certain: boolean }>(
      `SELECT DISTINCT instance_id, now() - pg_postmaster_start_time() > make_interval(secs => $2) AS certain
       FROM emails_in_flight WHERE instance_id <> $1`,
      [this.instanceId, this.graceAfterRestartS],
    );
    for (const { instance_id, certain } of rows) {
      if (certain) await this.#whileDead(instance_id, close);
    }
  }

  /** Holding the lock of the dead keeps the other replicas away meanwhile. */
  async #whileDead(instanceId: string, close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void> {
    const session = await this.pool.connect();
    try {
      const { rows } = await session.query<{ dead: boolean }>(
        `SELECT pg_try_advisory_lock(${LOCK_OF_INSTANCE}) AS dead`,
        [instanceId],
      );
      if (!rows[0]?.dead) return;
      for (let emails = await this.#next(instanceId); emails.length > 0; emails = await this.#next(instanceId)) {
        await close(emails);
      }
    } finally {
      // Ending the session frees the lock, whatever happened.
      session.release(true);
    }
  }

  async #next(instanceId: string): Promise<EmailFacts[]> {
    const { rows } = await this.pool.query<{ email_id: string }>(
      'SELECT email_id FROM emails_in_flight WHERE instance_id = $1 ORDER BY email_id LIMIT $2',
      [instanceId, BATCH],
    );
    const states = await Promise.all(
      rows.map(async ({ email_id }) => fold(email, await this.store.readStream(emailStream(email_id)))),
    );
    return states.flatMap(state => (state.state === 'accepted' ? [state.facts] : []));
  }
}
