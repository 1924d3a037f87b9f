import type { ServiceTraffic, ServiceUsage } from '../ports/runtime.js';
import type { HistoryWindow, Measurement } from './metrics.js';

export interface MetricPoint extends Measurement {
  readonly at: Date;
}

/** What web services used: samples of the last hours, and their minutes of the last week. */
export abstract class MetricStore {
  /** Several measurements of one sample become their average. */
  abstract record(sampleAt: Date, usages: readonly ServiceUsage[]): Promise<void>;
  /** Makes minutes of the samples of all minutes that are over; the same again changes nothing. */
  abstract rollUp(now: Date): Promise<void>;
  abstract purge(samplesBefore: Date, minutesBefore: Date): Promise<void>;
  /** The latest sample that does not begin earlier. */
  abstract latest(webServiceId: string, notBefore: Date): Promise<Measurement | undefined>;
  /** Oldest first; averages over a step each, and no point where nothing ran. */
  abstract history(webServiceId: string, window: HistoryWindow): Promise<readonly MetricPoint[]>;
}

export interface OwnedWebService {
  readonly status: string;
}

/** Whose web services are, and what they are doing. */
export abstract class WebServiceOwnership {
  /** Undefined for what belongs to somebody else, too. */
  abstract find(userId: string, webServiceId: string): Promise<OwnedWebService | undefined>;
}

/** Bytes in and out of web services by month; months are named by their first day. */
export abstract class BandwidthLedger {
  /** All or nothing. */
  abstract add(month: string, traffic: readonly ServiceTraffic[]): Promise<void>;
  /** Services beyond the bound in a month, but those that were suspended for it already. */
  abstract beyond(month: string, bytes: number): Promise<readonly string[]>;
  abstract noteSuspended(webServiceId: string, month: string): Promise<void>;
  /** Services that were suspended for a month before this one and not let on since. */
  abstract suspendedBefore(month: string): Promise<readonly string[]>;
  abstract noteLifted(webServiceId: string, month: string): Promise<void>;
  abstract purge(before: string): Promise<void>;
}

/** Takes web services out of service in the platform's own name. An operator may let them on earlier. */
export abstract class Suspensions {
  /** One that is suspended already stays so. */
  abstract suspend(webServiceId: string, reason: string): Promise<void>;
  /** Ends a suspension made here, and starts what it has stopped; one that an operator made, or has ended, is theirs. */
  abstract lift(webServiceId: string, reason: string): Promise<void>;
}

/** What an operator of Postern configures about metrics. */
export abstract class MetricsSettings {
  /** What a web service may transfer in a month; undefined is without bound. */
  abstract readonly monthlyBandwidthBytes: number | undefined;
}
