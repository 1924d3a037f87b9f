import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { WaitingSignals } from './ports.js';

/** In small steps, so that no feed waits for a long one. */
const STEP = 1_000;
const DROP = `
  DELETE FROM waiting_signals WHERE id = ANY (ARRAY(
    SELECT id FROM waiting_signals WHERE received_at < $1 LIMIT $2
  )) RETURNING kind`;

/** The table of signals whose email is not known. */
@Injectable()
export class PostgresWaitingSignals extends WaitingSignals {
  constructor(private readonly database: Database) {
    super();
  }

  override async dropOlderThan(before: Date): Promise<ReadonlyMap<string, number>> {
    const dropped = new Map<string, number>();
    for (let found = STEP; found === STEP; ) {
      const { rows } = await this.database.pool.query<{ kind: string }>(DROP, [before, STEP]);
      for (const { kind } of rows) dropped.set(kind, (dropped.get(kind) ?? 0) + 1);
      found = rows.length;
    }
    return dropped;
  }
}
