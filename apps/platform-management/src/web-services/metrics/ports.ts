import type { ServiceUsage } from '@postern/runtime';
import type { HistoryWindow, Measurement } from './metrics.js';

export interface MetricPoint extends Measurement {
  readonly at: Date;
}

/** Resource usage of web services: samples of the last hours and averages per minute of the last week. */
export abstract class MetricStore {
  /** Averages all measurements of the same sample. */
  abstract record(sampleAt: Date, usages: readonly ServiceUsage[]): Promise<void>;
  /** Averages the samples of all past minutes; repeating it has no further effect. */
  abstract rollUp(now: Date): Promise<void>;
  /** Returns the latest sample that is not older than `notBefore`. */
  abstract latest(webServiceId: string, notBefore: Date): Promise<Measurement | undefined>;
  /** Returns averages per step, oldest first, without points where nothing was running. */
  abstract history(webServiceId: string, window: HistoryWindow): Promise<readonly MetricPoint[]>;
}
