import type pg from 'pg';
import { SentToday } from '../../ports.js';

/** Reads the count that the daily limit is held against. */
export class PostgresSentToday extends SentToday {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async of(serviceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ service_id: string; used: number }>(
      `SELECT service_id, used FROM sending_usage
       WHERE service_id = ANY ($1::uuid[]) AND period = 'day' AND starts_at = date_trunc('day', now(), 'UTC')`,
      [serviceIds],
    );
    return new Map(rows.map(({ service_id, used }) => [service_id, used]));
  }
}
