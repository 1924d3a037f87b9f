/** What a web service used at one time, or on average over some. */
export interface Measurement {
  readonly cpuMillicores: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
  readonly instances: number;
}

/** Measurements within so many seconds of each other become one sample. */
export const SAMPLE_SECONDS = 15;
/** How long samples are kept before only their minutes are; longer than any history that is made of samples. */
export const SAMPLES_KEPT_SECONDS = 6 * 3600;
/** The longest history that can be asked for. */
export const MINUTES_KEPT_SECONDS = 7 * 86_400;
/** An older sample says nothing about now. */
export const CURRENT_SECONDS = 45;

const MOST_POINTS = 300;
const STEPS = [15, 30, 60, 120, 300, 600, 900, 1800, 3600] as const;

export interface HistoryWindow {
  /** Seconds between the points. */
  readonly step: number;
  /** Where the first point's seconds begin: a multiple of the step since 1970, so that points stay where they are. */
  readonly from: Date;
}

/** The finest steps that show a period, in seconds, with at most 300 points, the last of which is not over yet. */
export const historyWindow = (period: number, now: Date): HistoryWindow => {
  const step = STEPS.find(seconds => period / seconds <= MOST_POINTS) ?? STEPS[STEPS.length - 1]!;
  const last = Math.floor(now.getTime() / 1000 / step) * step;
  const points = Math.max(1, Math.floor(period / step));
  return { step, from: new Date((last - (points - 1) * step) * 1000) };
};

/** Where the sample that a moment belongs to begins. */
export const sampleTime = (now: Date): Date =>
  new Date(Math.floor(now.getTime() / (SAMPLE_SECONDS * 1000)) * SAMPLE_SECONDS * 1000);

/** A measurement as the contracts show one; where anything ran, at least one instance did. */
export const usageReply = ({ cpuMillicores, cpuPercent, memoryBytes, memoryPercent, instances }: Measurement) => ({
  cpu: { millicores: rounded(cpuMillicores), percent: rounded(cpuPercent) },
  memory: { bytes: Math.round(memoryBytes), percent: rounded(memoryPercent) },
  instances: Math.max(1, Math.round(instances)),
});

/** Two decimals say all that a measurement knows. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
