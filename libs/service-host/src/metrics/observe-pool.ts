import type pg from 'pg';
import type { Metrics } from './metrics.js';

/** Exposes the number of database connections and of waiting statements. */
export const observePool = (metrics: Metrics, pool: pg.Pool): void => {
  const meter = metrics.meter('db');
  const connections = { unit: '{connection}' };
  const count = meter.createObservableUpDownCounter('db.client.connection.count', {
    ...connections,
    description: 'Connections to the database, by state',
  });
  const max = meter.createObservableUpDownCounter('db.client.connection.max', {
    ...connections,
    description: 'Maximum number of connections to the database',
  });
  const waiting = meter.createObservableUpDownCounter('db.client.connection.pending_requests', {
    unit: '{request}',
    description: 'Statements waiting for a connection',
  });
  meter.addBatchObservableCallback(
    observed => {
      observed.observe(count, pool.idleCount, { 'db.client.connection.state': 'idle' });
      observed.observe(count, pool.totalCount - pool.idleCount, { 'db.client.connection.state': 'used' });
      observed.observe(max, pool.options.max);
      observed.observe(waiting, pool.waitingCount);
    },
    [count, max, waiting],
  );
};
