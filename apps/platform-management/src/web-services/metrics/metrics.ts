/** The usage of a web service at one time, or on average. */
export interface Measurement {
  readonly cpuMillicores: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
  readonly instances: number;
}

/** The requests of a web service, per second; null where they are not counted. */
export interface RequestRates {
  readonly requests: number | null;
  readonly serverErrors: number | null;
  /** Milliseconds until the answers began, summed. */
  readonly responseMs: number | null;
}

/** Length of a sample. */
export const SAMPLE_SECONDS = 15;
/** Retention of samples; longer than any history that is computed from samples. */
export const SAMPLES_KEPT_SECONDS = 6 * 3600;
/** Retention of the averages per minute: the longest history that can be requested. */
export const MINUTES_KEPT_SECONDS = 7 * 86_400;
/** Maximum age of a sample that describes the current usage. */
export const CURRENT_SECONDS = 45;

const MAX_POINTS = 300;
const STEPS = [15, 30, 60, 120, 300, 600, 900, 1800, 3600] as const;

export interface HistoryWindow {
  /** Seconds between the points. */
  readonly step: number;
  /** Start of the first point: a multiple of the step since 1970, so that points are the same in every request. */
  readonly from: Date;
}

/** Returns the finest step that covers the period, in seconds, with at most 300 points. The last point is still incomplete. */
export const historyWindow = (period: number, now: Date): HistoryWindow => {
  const step = STEPS.find(seconds => period / seconds <= MAX_POINTS) ?? STEPS[STEPS.length - 1]!;
  const last = Math.floor(now.getTime() / 1000 / step) * step;
  const points = Math.max(1, Math.floor(period / step));
  return { step, from: new Date((last - (points - 1) * step) * 1000) };
};

/** Returns the start of the sample that contains the time. */
export const sampleTime = (now: Date): Date =>
  new Date(Math.floor(now.getTime() / (SAMPLE_SECONDS * 1000)) * SAMPLE_SECONDS * 1000);

/** Maps a measurement to the contract. At least one instance, because something was running. */
export const usageReply = ({ cpuMillicores, cpuPercent, memoryBytes, memoryPercent, instances }: Measurement) => ({
  cpu: { millicores: rounded(cpuMillicores), percent: rounded(cpuPercent) },
  memory: { bytes: Math.round(memoryBytes), percent: rounded(memoryPercent) },
  instances: Math.max(1, Math.round(instances)),
});

/** Maps requests to the contract. */
export const requestsReply = ({ requests, serverErrors, responseMs }: RequestRates) =>
  requests === null
    ? null
    : {
        per_second: rounded(requests),
        errors_per_second: rounded(serverErrors ?? 0),
        response_ms: requests > 0 ? rounded((responseMs ?? 0) / requests) : null,
      };

/** Rounds to two decimals, the precision of the measurements. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
