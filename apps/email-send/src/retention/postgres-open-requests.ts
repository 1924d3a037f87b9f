import { Inject, Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { recognisedDeadlines } from '../emails/idempotency.js';
import { firstIdAt } from '../infrastructure/postgres/uuid-time.js';
import { OpenRequests } from './ports.js';
import { PURGE_OPEN_REQUESTS, PURGE_UNRESOLVED } from './retention.sql.js';

/** No evidence arrives for older messages. */
const EVIDENCE_MS = 35 * 86_400_000;

/** Deletes in small steps, each its own transaction, because an open transaction delays the feed. */
@Injectable()
export class PostgresOpenRequests extends OpenRequests {
  constructor(@Inject(Database) private readonly database: Pick<Database, 'pool'>) {
    super();
  }

  async purge(now: Date): Promise<void> {
    const { pool } = this.database;
    await inSteps(pool, PURGE_OPEN_REQUESTS, [recognisedDeadlines(now).after]);
    await inSteps(pool, PURGE_UNRESOLVED, [firstIdAt(new Date(now.getTime() - EVIDENCE_MS))]);
  }
}
