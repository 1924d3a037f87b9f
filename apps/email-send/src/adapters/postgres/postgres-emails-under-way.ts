import { Injectable } from '@nestjs/common';
import type { EventStore } from '@postern/event-sourcing';
import { fold } from '@postern/event-sourcing';
import type pg from 'pg';
import { type EmailFacts, email, emailStream } from '../../domain/email.js';
import { EmailsUnderWay } from '../../ports.js';
import { firstIdAt } from './id-time.js';
import { LOCK_OF_INSTANCE } from './process-instance.js';

const BATCH = 200;
/** After a restart of PostgreSQL the living need a moment to take their locks again. */
const GRACE_AFTER_RESTART_S = 15;
/** No hand-over takes that long: what is still under way here then was lost between two transactions. */
const OVERDUE_MS = 180_000;

/** Open requests without an outcome; and what a process of the earlier release, which has another table, left behind. */
const UNDER_WAY = `(
  SELECT email_id, instance_id FROM open_requests AS request
  WHERE NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)
  UNION ALL SELECT email_id, instance_id FROM emails_in_flight
) AS under_way`;

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
       FROM ${UNDER_WAY} WHERE instance_id <> $1`,
      [this.instanceId, this.graceAfterRestartS],
    );
    for (const { instance_id, certain } of rows) {
      if (certain) await this.#whileDead(instance_id, close);
    }
    await this.#closeAll(this.instanceId, new Date(Date.now() - OVERDUE_MS), close);
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
      await this.#closeAll(instanceId, new Date(), close);
    } finally {
      // Ending the session frees the lock, whatever happened.
      session.release(true);
    }
  }

  async #closeAll(
    instanceId: string,
    acceptedBefore: Date,
    close: (emails: readonly EmailFacts[]) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const { rows } = await this.pool.query<{ email_id: string }>(
        `SELECT email_id FROM ${UNDER_WAY} WHERE instance_id = $1 AND email_id < $2 ORDER BY email_id LIMIT $3`,
        [instanceId, firstIdAt(acceptedBefore), BATCH],
      );
      if (rows.length === 0) return;
      await close(await Promise.all(rows.map(({ email_id }) => this.#facts(email_id))));
    }
  }

  async #facts(emailId: string): Promise<EmailFacts> {
    const state = fold(email, await this.store.readStream(emailStream(emailId)));
    if (state.state === 'new') throw new Error(`email ${emailId} is under way but was never accepted`);
    return state.facts;
  }
}
