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
