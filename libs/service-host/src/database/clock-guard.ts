import type { Log } from '@postern/messaging';
import type { Readiness } from '../health/readiness.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Tasks } from '../tasks.js';
import { CLOCK_LIMIT_MS, type DatabaseClock } from './database-clock.js';

const COMPARE_EVERY_MS = 2_000;
const REPEAT_LOG_EVERY_MS = 60_000;

export interface GuardedParts {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  readonly tasks: Tasks;
  readonly log: Log;
  /** Takes requests, or leaves them to the other replicas. */
  readonly onChange: (isWrong: boolean) => Promise<void>;
}

/**
 * Compares the clock of this machine with that of PostgreSQL. While they differ too much, the process says so, is not
 * ready, takes no requests and starts no background job: it would expire, count and delete at a wrong time.
 */
export const guardClock = (clock: DatabaseClock, { readiness, metrics, tasks, log, onChange }: GuardedParts): void => {
  let wasWrong = false;
  let loggedAt = -Infinity;
  readiness.add({
    name: 'clock',
    check: () => {
      if (clock.isWrong) throw new Error(describe(clock));
    },
  });
  metrics
    .meter('postern.clock')
    .createObservableGauge('postern.clock.offset', {
      unit: 's',
      description: 'How far the clock of this machine is ahead of the clock of PostgreSQL',
    })
    .addCallback(observed => observed.observe(clock.aheadMs / 1_000));
  tasks.every(COMPARE_EVERY_MS, 'compare clocks', async () => {
    await clock.measure();
    if (clock.isWrong && performance.now() - loggedAt > REPEAT_LOG_EVERY_MS) {
      loggedAt = performance.now();
      log.error({ aheadMs: Math.round(clock.aheadMs) }, `${describe(clock)}. This process takes no work until then`);
    }
    if (clock.isWrong === wasWrong) return;
    wasWrong = clock.isWrong;
    if (!wasWrong) {
      loggedAt = -Infinity;
      log.info({ aheadMs: Math.round(clock.aheadMs) }, 'The clock of this machine is right again');
    }
    await onChange(wasWrong);
  });
};

const describe = ({ aheadMs }: DatabaseClock): string =>
  `The clock of this machine is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock ` +
  `of PostgreSQL, and at most ${CLOCK_LIMIT_MS / 1_000} s are allowed: synchronise both, for example with chrony`;
