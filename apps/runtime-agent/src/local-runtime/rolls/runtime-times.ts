import { BACKOFF, type BackoffTimes } from './backoff.js';
import { SCALING, type ScalingRules } from './scaling.js';

/** Everything in the local runtime that waits. */
export interface RuntimeTimes {
  readonly probeTimeoutMs: number;
  /** Between two probes of an instance that has not answered yet. */
  readonly firstProbesMs: number;
  /** Between two probes of one that has. */
  readonly probesMs: number;
  /** So many probes in a row have to fail before an instance gets no more traffic. */
  readonly failuresUntilUnhealthy: number;
  /** Then it is given so long before it is started anew. */
  readonly unhealthyUntilRestartMs: number;
  /** For requests under way on an instance that is about to be stopped. */
  readonly drainMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Between two readings of what the instances use. */
  readonly samplesMs: number;
  readonly backoff: BackoffTimes;
  readonly scaling: ScalingRules;
}

export const TIMES: RuntimeTimes = {
  probeTimeoutMs: 5_000,
  firstProbesMs: 150,
  probesMs: 3_000,
  failuresUntilUnhealthy: 3,
  unhealthyUntilRestartMs: 30_000,
  drainMs: 10_000,
  graceMs: 10_000,
  samplesMs: 2_000,
  backoff: BACKOFF,
  scaling: SCALING,
};
