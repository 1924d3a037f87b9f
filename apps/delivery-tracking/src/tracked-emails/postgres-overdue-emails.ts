import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { OverdueEmails } from './ports.js';

/** Finds overdue emails through the read model of tracked emails. */
@Injectable()
export class PostgresOverdueEmails extends OverdueEmails {
  constructor(private readonly database: Database) {
    super();
  }

  override async find(since: Date, limit: number): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ id: string }>(
      'SELECT id FROM tracked_emails WHERE waiting_since < $1 ORDER BY waiting_since LIMIT $2',
      [since, limit],
    );
    return rows.map(({ id }) => id);
  }
}
