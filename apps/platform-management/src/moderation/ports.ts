import type { ServiceTraffic } from '@postern/runtime';

/** Bytes in and out of web services by month. A month is named by its first day. */
export abstract class BandwidthRepository {
  /** Adds all of it or nothing. */
  abstract add(month: string, traffic: readonly ServiceTraffic[]): Promise<void>;
  /** Web services above the limit in a month that were not suspended for it yet. */
  abstract exceeding(month: string, bytes: number): Promise<readonly string[]>;
  abstract markSuspended(webServiceId: string, month: string): Promise<void>;
  /** Web services that were suspended for an earlier month and not resumed since. */
  abstract suspendedBefore(month: string): Promise<readonly string[]>;
  abstract markResumed(webServiceId: string, month: string): Promise<void>;
  abstract deleteBefore(month: string): Promise<void>;
}

/** Suspensions by the platform itself. An operator may end one early. */
export abstract class Suspensions {
  /** Has no effect on a suspended web service. */
  abstract suspend(webServiceId: string, reason: string): Promise<void>;
  /** Ends a suspension by the platform and starts what it stopped; has no effect on one by an operator. */
  abstract lift(webServiceId: string, reason: string): Promise<void>;
}

/** What the operator configures about moderation. */
export abstract class ModerationSettings {
  /** The traffic of a web service in a month; undefined means no limit. */
  abstract readonly monthlyBandwidthBytes: number | undefined;
}
