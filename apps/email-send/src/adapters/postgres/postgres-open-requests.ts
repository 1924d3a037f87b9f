import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { recognisedDeadlines } from '../../domain/idempotency.js';
import { OpenRequests } from '../../ports.js';
import { firstIdAt } from './id-time.js';

const STEP = 1_000;
/** Nobody reports a message that old. */
const EVIDENCE_MS = 35 * 86_400_000;

/** Purges in small steps, each a transaction of its own, so that no feed waits for a long one. */
@Injectable()
export class PostgresOpenRequests extends OpenRequests {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async purge(now: Date): Promise<void> {
    await this.#inSteps(
      `DELETE FROM open_requests WHERE email_id IN (
         SELECT email_id FROM open_requests AS request
         WHERE answer_by <= $1 AND EXISTS (SELECT FROM emails WHERE id = request.email_id) LIMIT $2)`,
      recognisedDeadlines(now).after,
    );
    await this.#inSteps(
      'DELETE FROM unresolved_emails WHERE email_id IN (SELECT email_id FROM unresolved_emails WHERE email_id < $1 LIMIT $2)',
      firstIdAt(new Date(now.getTime() - EVIDENCE_MS)),
    );
  }

  async #inSteps(statement: string, before: Date | string): Promise<void> {
    for (;;) {
      const { rowCount } = await this.pool.query(statement, [before, STEP]);
      if ((rowCount ?? 0) < STEP) return;
    }
  }
}
