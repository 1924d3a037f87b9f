import { Injectable } from '@nestjs/common';
import { Database, Metrics } from '@postern/service-host';

/** Counted no further: the queue of an endpoint that is away for a day should not cost more than this to look at. */
const MOST_COUNTED = 100_000;

const QUEUE = `
  SELECT count(*)::int AS deliveries, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS seconds
  FROM (
    SELECT next_attempt_at FROM deliveries
    WHERE state = 'pending' AND next_attempt_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
    LIMIT ${MOST_COUNTED}
  ) AS due`;

/** Shows the deliveries that could be attempted now, asked of the database whenever the metrics are collected. */
@Injectable()
export class QueueGauges {
  constructor(database: Database, metrics: Metrics) {
    const meter = metrics.meter('postern.webhooks');
    const depth = meter.createObservableGauge('postern.webhooks.queue.depth', {
      unit: '{delivery}',
      description: 'Deliveries that are due and that nobody has claimed, counted to 100,000',
    });
    const delay = meter.createObservableGauge('postern.webhooks.queue.delay', {
      unit: 's',
      description: 'For how long the first of them has been due',
    });
    meter.addBatchObservableCallback(
      async observed => {
        const { rows } = await database.pool.query<{ deliveries: number; seconds: number }>({
          name: 'due-deliveries',
          text: QUEUE,
        });
        observed.observe(depth, rows[0]?.deliveries ?? 0);
        observed.observe(delay, rows[0]?.seconds ?? 0);
      },
      [depth, delay],
    );
  }
}
