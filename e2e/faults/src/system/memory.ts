/** Resident memory of a process at a time of the run. */
export interface MemorySample {
  readonly atMs: number;
  readonly mib: number;
}

/** The memory trend of a process, without the first third as warm-up. */
export interface MemoryTrend {
  readonly startMib: number;
  readonly endMib: number;
  readonly peakMib: number;
  readonly mibPerHour: number;
}

const MIN_SAMPLES = 6;
const LEAK_MIB_PER_HOUR = 60;
const LEAK_GROWTH = 1.3;
/** Shorter series show how a heap settles, not whether it leaks. */
const JUDGED_FROM_MS = 25 * 60_000;

/** Linear regression (least squares) through the samples; undefined for too few samples. */
export const memoryTrend = (samples: readonly MemorySample[]): MemoryTrend | undefined => {
  const settled = samples.slice(Math.floor(samples.length / 3));
  const [first, last] = [settled[0], settled.at(-1)];
  if (settled.length < MIN_SAMPLES || !first || !last) return undefined;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [atMean, mibMean] = [mean(settled.map(({ atMs }) => atMs)), mean(settled.map(({ mib }) => mib))];
  const covariance = settled.reduce((sum, { atMs, mib }) => sum + (atMs - atMean) * (mib - mibMean), 0);
  const variance = settled.reduce((sum, { atMs }) => sum + (atMs - atMean) ** 2, 0);
  return {
    startMib: samples[0]?.mib ?? first.mib,
    endMib: last.mib,
    peakMib: Math.max(...samples.map(({ mib }) => mib)),
    mibPerHour: variance === 0 ? 0 : (covariance / variance) * 3_600_000,
  };
};

/** Whether a process grew steadily over a sufficiently long time. */
export const leaks = (samples: readonly MemorySample[]): boolean => {
  const trend = memoryTrend(samples);
  const settled = samples.slice(Math.floor(samples.length / 3));
  const [first, last] = [settled[0], settled.at(-1)];
  if (!trend || !first || !last || last.atMs - first.atMs < JUDGED_FROM_MS) return false;
  return trend.mibPerHour > LEAK_MIB_PER_HOUR && last.mib > first.mib * LEAK_GROWTH;
};
