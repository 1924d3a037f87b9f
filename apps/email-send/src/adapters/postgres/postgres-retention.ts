import { Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { IDEMPOTENCY_HOURS } from '../../domain/idempotency.js';
import { Retention } from '../../ports.js';
import { firstIdAt } from './id-time.js';

const STEP = 1_000;
/** The quota of a service looks back at days long past; nothing looks at a minute that is over. */
const DAYS_KEPT = 90;

/** Retention in small steps, each a transaction of its own, so that no feed waits for a long one. */
@Injectable()
export class PostgresRetention extends Retention {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  /** A message is final when it has its record and no copy of it waits for another try. */
  async purgeBodies(before: Date): Promise<void> {
    let after = NIL;
    for (;;) {
      const { rows } = await this.pool.query<{ examined: number; last: string | null }>(PURGE_BODIES, [
        after,
        firstIdAt(before),
        STEP,
      ]);
      const { examined = 0, last = null } = rows[0] ?? {};
      if (last === null || examined < STEP) return;
      after = last;
    }
  }

  async purgeExpired(now: Date): Promise<void> {
    await inSteps(
      this.pool,
      `DELETE FROM idempotency_keys WHERE (service_id, key) IN (
         SELECT service_id, key FROM idempotency_keys
         WHERE claimed_at < $1::timestamptz - make_interval(hours => ${IDEMPOTENCY_HOURS}) LIMIT $2)`,
      [now],
    );
    await inSteps(
      this.pool,
      `DELETE FROM sending_usage WHERE (service_id, period, starts_at) IN (
         SELECT service_id, period, starts_at FROM sending_usage
         WHERE starts_at < $1::timestamptz - CASE period WHEN 'minute' THEN interval '10 minutes'
                                              ELSE make_interval(days => ${DAYS_KEPT}) END LIMIT $2)`,
      [now],
    );
  }
}

const NIL = '00000000-0000-0000-0000-000000000000';

const PURGE_BODIES = `
  WITH old AS (
    SELECT email_id FROM email_bodies WHERE email_id > $1 AND email_id < $2 ORDER BY email_id LIMIT $3
  ), purged AS (
    DELETE FROM email_bodies AS body USING old
    WHERE body.email_id = old.email_id
      AND EXISTS (SELECT 1 FROM emails WHERE id = old.email_id)
      AND NOT EXISTS (SELECT 1 FROM deferred_copies AS copy WHERE copy.email_id = old.email_id)
  )
  SELECT count(*)::integer AS examined, max(email_id::text)::uuid AS last FROM old`;
