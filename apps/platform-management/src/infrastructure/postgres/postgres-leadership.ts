import { Injectable } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { Leadership } from '../../reconciler/ports.js';

/** Elects the leader with an advisory lock; another process leads once PostgreSQL detects that the connection closed. */
@Injectable()
export class PostgresLeadership extends Leadership {
  constructor(private readonly database: Database) {
    super();
  }

  override lead(name: string, stop: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
    return withLeadership(this.database.pool, name, stop, lead);
  }
}
