import { Injectable } from '@nestjs/common';
import { Database, Metrics } from '@postern/service-host';
import { MEASURE_DUE } from './delivery-queue.sql.js';

const MAX_COUNTED = 100_000;

/** Reports the deliveries that are due, queried whenever metrics are collected. */
@Injectable()
export class QueueGauges {
  constructor(database: Database, metrics: Metrics) {
    const meter = metrics.meter('postern.webhooks');
    const depth = meter.createObservableGauge('postern.webhooks.queue.depth', {
      unit: '{delivery}',
      description: 'Deliveries that are due and not recorded, counted up to 100,000',
    });
    const delay = meter.createObservableGauge('postern.webhooks.queue.delay', {
      unit: 's',
      description: 'Age of the oldest due delivery',
    });
    meter.addBatchObservableCallback(
      async observed => {
        const { rows } = await database.pool.query<{ deliveries: number; seconds: number }>({
          name: 'due-deliveries',
          text: MEASURE_DUE,
          values: [MAX_COUNTED],
        });
        observed.observe(depth, rows[0]?.deliveries ?? 0);
        observed.observe(delay, rows[0]?.seconds ?? 0);
      },
      [depth, delay],
    );
  }
}
