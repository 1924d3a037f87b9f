import { RESTART_TIMES, type RestartTimes } from './restart-backoff.js';
import { SCALING, type ScalingRules } from './scaling.js';

/** The times of the local runtime, in milliseconds. */
export interface RuntimeTimes {
  readonly probeTimeoutMs: number;
  /** For the first answer to `GET /` without a health check path: a home page may take long at first. */
  readonly homePageTimeoutMs: number;
  /** Between probes of an instance before its first success. */
  readonly firstProbesMs: number;
  /** Between probes after its first success. */
  readonly probesMs: number;
  /** Consecutive failed probes until an instance gets no more traffic. */
  readonly failuresUntilUnhealthy: number;
  /** How long an instance may be unhealthy until it is replaced. */
  readonly unhealthyUntilRestartMs: number;
  /** How long a new instance may listen on other ports only, until one of them gets the requests. */
  readonly otherPortMs: number;
  /** The same, until it has failed. */
  readonly wrongPortMs: number;
  /** How long a new release must stay healthy before it gets the traffic. */
  readonly observationMs: number;
  /** How long requests in progress may take on an instance to be stopped, unless the plan sets `drainSeconds`. */
  readonly drainMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Between measurements of CPU and memory. */
  readonly samplesMs: number;
  /** Between looks for requests that wait for a service that is asleep. */
  readonly wakeChecksMs: number;
  /** The length of a minute without requests. */
  readonly idleMinuteMs: number;
  readonly backoff: RestartTimes;
  readonly scaling: ScalingRules;
}

export const TIMES: RuntimeTimes = {
  probeTimeoutMs: 5_000,
  homePageTimeoutMs: 30_000,
  firstProbesMs: 150,
  probesMs: 3_000,
  failuresUntilUnhealthy: 3,
  unhealthyUntilRestartMs: 30_000,
  otherPortMs: 5_000,
  wrongPortMs: 10_000,
  observationMs: 3_000,
  drainMs: 30_000,
  graceMs: 10_000,
  samplesMs: 2_000,
  wakeChecksMs: 200,
  idleMinuteMs: 60_000,
  backoff: RESTART_TIMES,
  scaling: SCALING,
};
