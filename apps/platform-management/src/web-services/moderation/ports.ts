import type { ServiceTraffic } from '@postern/runtime';

/** Bytes in and out of web services by month. A month is the date of its first day. */
export abstract class BandwidthRepository {
  /** Adds all entries or none. */
  abstract add(month: string, traffic: readonly ServiceTraffic[]): Promise<void>;
  /** Returns the web services above the limit in a month that are not yet suspended for it. */
  abstract exceeding(month: string, bytes: number): Promise<readonly string[]>;
  abstract markSuspended(webServiceId: string, month: string): Promise<void>;
  /** Returns the web services that were suspended for an earlier month and are not yet resumed. */
  abstract suspendedBefore(month: string): Promise<readonly string[]>;
  abstract markResumed(webServiceId: string, month: string): Promise<void>;
}

/** Suspensions by the platform itself. An operator may end one early. */
export abstract class Suspensions {
  /** Has no effect if the web service is already suspended. */
  abstract suspend(webServiceId: string, reason: string): Promise<void>;
  /** Ends a suspension by the platform and starts the web service again; has no effect on a suspension by an operator. */
  abstract end(webServiceId: string, reason: string): Promise<void>;
}

/** Configuration of moderation. */
export abstract class ModerationSettings {
  /** Maximum traffic of a web service per month, in bytes; undefined means no limit. */
  abstract readonly monthlyBandwidthBytes: number | undefined;
}
