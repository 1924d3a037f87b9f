import type { DefaultLimits } from '../email-services/service-limits.js';
import type { DayCounts } from './quota.js';

/** The counts of one finished UTC day of an email service. */
export interface FinishedDay extends DayCounts {
  readonly serviceId: string;
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
}

/** A bounce of, or a complaint about, a copy of a message. */
export interface Report {
  readonly serviceId: string;
  readonly emailId: string;
  readonly kind: 'bounced' | 'complained';
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
}

/** Messages and reports of each UTC day of each service, until the day has been evaluated. */
export abstract class DailyUsageRepository {
  /** Finished days that were not evaluated yet, oldest first within a service; no more than `atMost`. */
  abstract listUnevaluated(atMost: number): Promise<readonly FinishedDay[]>;
  abstract markEvaluated(serviceId: string, day: string): Promise<void>;
  /** Records reports. Each message counts once per kind, on the day of its first report. */
  abstract addReports(reports: readonly Report[]): Promise<void>;
}

/** How much of its daily limit each service has used. */
export abstract class SentToday {
  /** Messages of the current UTC day; services without any are absent. */
  abstract countsOf(serviceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Limits of services without limits set by the operator. */
export abstract class LimitDefaults implements DefaultLimits {
  abstract readonly sandboxDaily: number;
  abstract readonly sandboxPerMinute: number;
  abstract readonly productionPerMinute: number;
  abstract readonly productionDailyStart: number;
  abstract readonly productionDailyCeiling: number;
}
