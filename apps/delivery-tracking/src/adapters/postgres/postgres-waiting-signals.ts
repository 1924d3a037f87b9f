import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { WaitingSignals } from '../../ports.js';

/** The table of signals whose email is not known. */
@Injectable()
export class PostgresWaitingSignals extends WaitingSignals {
  constructor(private readonly database: Database) {
    super();
  }

  override async dropOlderThan(before: Date): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.database.pool.query<{ kind: string; count: number }>(
      `WITH dropped AS (DELETE FROM waiting_signals WHERE received_at < $1 RETURNING kind)
       SELECT kind, count(*)::int AS count FROM dropped GROUP BY kind`,
      [before],
    );
    return new Map(rows.map(({ kind, count }) => [kind, count]));
  }
}
