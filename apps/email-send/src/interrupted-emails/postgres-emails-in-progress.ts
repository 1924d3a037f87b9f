import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { type EmailFacts, email, emailStream } from '../emails/email.js';
import { GRACE_AFTER_RESTART_S } from '../infrastructure/postgres/after-restart.js';
import { ProcessInstance } from '../infrastructure/postgres/process-instance.js';
import { TRY_LOCK_INSTANCE } from '../infrastructure/postgres/process-instance.sql.js';
import { firstIdAt } from '../infrastructure/postgres/uuid-time.js';
import { LIST_IN_PROGRESS, LIST_INSTANCES } from './interrupted-emails.sql.js';
import { EmailsInProgress } from './ports.js';

const BATCH = 200;
/** Longer than any hand-over: a message of this process that is older was lost between its two transactions. */
const OVERDUE_MS = 180_000;

/** Finds messages of dead processes, whose session locks are free. */
@Injectable()
export class PostgresEmailsInProgress extends EmailsInProgress {
  protected readonly graceAfterRestartS: number = GRACE_AFTER_RESTART_S;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly instance: ProcessInstance,
  ) {
    super();
  }

  async closeAbandoned(close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void> {
    const { rows } = await this.store.pool.query<{ instance_id: string; certain: boolean }>(LIST_INSTANCES, [
      this.instance.id,
      this.graceAfterRestartS,
    ]);
    for (const { instance_id, certain } of rows) {
      if (certain) await this.#closeIfDead(instance_id, close);
    }
    await this.#closeAll(this.instance.id, new Date(Date.now() - OVERDUE_MS), close);
  }

  /** Holding the lock of a dead process keeps other replicas from closing its messages at the same time. */
  async #closeIfDead(instanceId: string, close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void> {
    const session = await this.store.pool.connect();
    try {
      const { rows } = await session.query<{ dead: boolean }>(TRY_LOCK_INSTANCE, [instanceId]);
      if (!rows[0]?.dead) return;
      await this.#closeAll(instanceId, new Date(), close);
    } finally {
      // Ending the session releases the lock in every case.
      session.release(true);
    }
  }

  async #closeAll(
    instanceId: string,
    acceptedBefore: Date,
    close: (emails: readonly EmailFacts[]) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const { rows } = await this.store.pool.query<{ email_id: string }>(LIST_IN_PROGRESS, [
        instanceId,
        firstIdAt(acceptedBefore),
        BATCH,
      ]);
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
