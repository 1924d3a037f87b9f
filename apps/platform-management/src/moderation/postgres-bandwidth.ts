import { inSteps } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { BandwidthLedger } from '../metrics/ports.js';
import type { ServiceTraffic } from '../ports/runtime.js';

/** Traffic in PostgreSQL, a row for each web service and month. */
export class BandwidthRows extends BandwidthLedger {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async add(month: string, traffic: readonly ServiceTraffic[]): Promise<void> {
    const counted = traffic.filter(({ bytes }) => bytes > 0);
    if (counted.length === 0) return;
    await this.pool.query(
      `INSERT INTO bandwidth_usage AS known (web_service_id, month, bytes)
       SELECT id, $1::date, sum(bytes) FROM unnest($2::uuid[], $3::bigint[]) AS new(id, bytes) GROUP BY id
       ON CONFLICT (web_service_id, month) DO UPDATE SET bytes = known.bytes + excluded.bytes`,
      [month, counted.map(({ webServiceId }) => webServiceId), counted.map(({ bytes }) => Math.round(bytes))],
    );
  }

  async beyond(month: string, bytes: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ web_service_id: string }>(
      `SELECT web_service_id FROM bandwidth_usage WHERE month = $1 AND bytes > $2 AND suspended_at IS NULL`,
      [month, bytes],
    );
    return rows.map(row => row.web_service_id);
  }

  async noteSuspended(webServiceId: string, month: string): Promise<void> {
    await this.pool.query('UPDATE bandwidth_usage SET suspended_at = now() WHERE web_service_id = $1 AND month = $2', [
      webServiceId,
      month,
    ]);
  }

  async suspendedBefore(month: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ web_service_id: string }>(
      'SELECT DISTINCT web_service_id FROM bandwidth_usage WHERE month < $1 AND suspended_at IS NOT NULL',
      [month],
    );
    return rows.map(row => row.web_service_id);
  }

  async noteLifted(webServiceId: string, month: string): Promise<void> {
    await this.pool.query('UPDATE bandwidth_usage SET suspended_at = NULL WHERE web_service_id = $1 AND month < $2', [
      webServiceId,
      month,
    ]);
  }

  async purge(before: string): Promise<void> {
    await inSteps(
      this.pool,
      'DELETE FROM bandwidth_usage WHERE ctid = ANY (ARRAY(SELECT ctid FROM bandwidth_usage WHERE month < $1 LIMIT $2))',
      [before],
    );
  }
}
