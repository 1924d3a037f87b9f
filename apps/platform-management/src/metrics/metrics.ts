/** The usage of a web service at one time, or on average. */
export interface Measurement {
  readonly cpuMillicores: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
  readonly instances: number;
}

/** The length of a sample. */
export const SAMPLE_SECONDS = 15;
/** How long samples are kept; longer than any history made of samples. */
export const SAMPLES_KEPT_SECONDS = 6 * 3600;
/** How long minutes are kept: the longest history that can be requested. */
export const MINUTES_KEPT_SECONDS = 7 * 86_400;
/** An older sample does not describe the current usage. */
export const CURRENT_SECONDS = 45;

const MOST_POINTS = 300;
const STEPS = [15, 30, 60, 120, 300, 600, 900, 1800, 3600] as const;

export interface HistoryWindow {
  /** Seconds between the points. */
  readonly step: number;
  /** Start of the first point: a multiple of the step since 1970, so that points do not move between requests. */
  readonly from: Date;
}

/** The finest step that shows a period, in seconds, with at most 300 points. The last point is not complete yet. */
export const historyWindow = (period: number, now: Date): HistoryWindow => {
  const step = STEPS.find(seconds => period / seconds <= MOST_POINTS) ?? STEPS[STEPS.length - 1]!;
  const last = Math.floor(now.getTime() / 1000 / step) * step;
  const points = Math.max(1, Math.floor(period / step));
  return { step, from: new Date((last - (points - 1) * step) * 1000) };
};

/** The start of the sample that contains a time. */
export const sampleTime = (now: Date): Date =>
  new Date(Math.floor(now.getTime() / (SAMPLE_SECONDS * 1000)) * SAMPLE_SECONDS * 1000);

/** Maps a measurement to the reply of the contracts; at least one instance, because something ran. */
export const usageReply = ({ cpuMillicores, cpuPercent, memoryBytes, memoryPercent, instances }: Measurement) => ({
  cpu: { millicores: rounded(cpuMillicores), percent: rounded(cpuPercent) },
  memory: { bytes: Math.round(memoryBytes), percent: rounded(memoryPercent) },
  instances: Math.max(1, Math.round(instances)),
});

/** Measurements are not more precise than two decimals. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
