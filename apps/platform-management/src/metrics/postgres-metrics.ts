import { inSteps } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { ServiceUsage } from '../ports/runtime.js';
import type { HistoryWindow, Measurement } from './metrics.js';
import { type MetricPoint, MetricStore } from './ports.js';

const AVERAGED = ['cpu_millicores', 'cpu_percent', 'memory_bytes', 'memory_percent', 'instances'] as const;

interface Row extends Record<(typeof AVERAGED)[number], number> {
  readonly at: Date;
}

const COLUMNS = AVERAGED.join(', ');
/** Averages over rows that stand for different numbers of measurements. */
const WEIGHTED = AVERAGED.map(name => `sum(${name} * measurements) / sum(measurements) AS ${name}`).join(', ');

const RECORD = `
  INSERT INTO metric_samples AS known (web_service_id, at, measurements, ${COLUMNS})
  SELECT id, $1::timestamptz, 1, ${COLUMNS}
  FROM unnest($2::uuid[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[]) AS new(id, ${COLUMNS})
  ON CONFLICT (web_service_id, at) DO UPDATE SET measurements = known.measurements + 1,
    ${AVERAGED.map(name => `${name} = (known.${name} * known.measurements + excluded.${name}) / (known.measurements + 1)`).join(', ')}`;

/** The newest minutes are made again, for the samples that came to them after they had been made. */
const ROLL_UP = `
  INSERT INTO metric_minutes (web_service_id, at, measurements, ${COLUMNS})
  SELECT web_service_id, date_trunc('minute', at), sum(measurements), ${WEIGHTED}
  FROM metric_samples
  WHERE at >= coalesce((SELECT max(at) FROM metric_minutes), '-infinity') - interval '2 minutes'
    AND at < date_trunc('minute', $1::timestamptz)
  GROUP BY 1, 2
  ON CONFLICT (web_service_id, at) DO UPDATE SET measurements = excluded.measurements,
    ${AVERAGED.map(name => `${name} = excluded.${name}`).join(', ')}`;

const purge = (table: string) =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE at < $1 LIMIT $2))`;

const binned = (source: string) => `
  SELECT date_bin(make_interval(secs => $3), at, 'epoch') AS at, ${WEIGHTED}
  FROM (${source}) AS measured WHERE measurements > 0 GROUP BY 1 ORDER BY 1`;

const HISTORY_OF_SAMPLES = binned(`SELECT * FROM metric_samples WHERE web_service_id = $1 AND at >= $2`);

/** Minutes, and the samples of those that are not over or not made yet. */
const HISTORY_OF_MINUTES = binned(`
  SELECT * FROM metric_minutes WHERE web_service_id = $1 AND at >= $2
  UNION ALL
  SELECT * FROM metric_samples WHERE web_service_id = $1 AND at >= greatest($2,
    (SELECT max(at) + interval '1 minute' FROM metric_minutes WHERE web_service_id = $1))`);

/** Metrics in PostgreSQL: bounded by how long they are kept, summed up where they lie. */
export class MetricRows extends MetricStore {
  constructor(private readonly pool: pg.Pool) {
    super();
  }

  async record(sampleAt: Date, usages: readonly ServiceUsage[]): Promise<void> {
    if (usages.length === 0) return;
    await this.pool.query(RECORD, [
      sampleAt,
      usages.map(({ webServiceId }) => webServiceId),
      usages.map(({ cpuMillicores }) => cpuMillicores),
      usages.map(({ cpuPercent }) => cpuPercent),
      usages.map(({ memoryBytes }) => memoryBytes),
      usages.map(({ memoryPercent }) => memoryPercent),
      usages.map(({ instances }) => instances),
    ]);
  }

  async rollUp(now: Date): Promise<void> {
    await this.pool.query(ROLL_UP, [now]);
  }

  async purge(samplesBefore: Date, minutesBefore: Date): Promise<void> {
    await inSteps(this.pool, purge('metric_samples'), [samplesBefore]);
    await inSteps(this.pool, purge('metric_minutes'), [minutesBefore]);
  }

  async latest(webServiceId: string, notBefore: Date): Promise<Measurement | undefined> {
    const { rows } = await this.pool.query<Row>(
      `SELECT at, ${COLUMNS} FROM metric_samples WHERE web_service_id = $1 AND at >= $2 ORDER BY at DESC LIMIT 1`,
      [webServiceId, notBefore],
    );
    return rows[0] && pointOf(rows[0]);
  }

  async history(webServiceId: string, { step, from }: HistoryWindow): Promise<readonly MetricPoint[]> {
    const statement = step < 60 ? HISTORY_OF_SAMPLES : HISTORY_OF_MINUTES;
    const { rows } = await this.pool.query<Row>(statement, [webServiceId, from, step]);
    return rows.map(pointOf);
  }
}

const pointOf = (row: Row): MetricPoint => ({
  at: row.at,
  cpuMillicores: row.cpu_millicores,
  cpuPercent: row.cpu_percent,
  memoryBytes: row.memory_bytes,
  memoryPercent: row.memory_percent,
  instances: row.instances,
});
