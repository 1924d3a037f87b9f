import type { RuntimeTimes } from '../rolls/runtime-times.js';

/** Short times for tests. */
export const QUICK: Partial<RuntimeTimes> = {
  probeTimeoutMs: 1_000,
  homePageTimeoutMs: 2_000,
  firstProbesMs: 20,
  probesMs: 100,
  unhealthyUntilRestartMs: 3_000,
  otherPortMs: 300,
  wrongPortMs: 1_000,
  observationMs: 200,
  drainMs: 1_000,
  graceMs: 1_000,
  samplesMs: 200,
  backoff: { firstMs: 50, longestMs: 500, resetAfterMs: 60_000 },
};
