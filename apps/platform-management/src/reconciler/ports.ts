import type { StageDeadlines } from './next-steps.js';

/** Elects one leader among all replicas. */
export abstract class Leadership {
  /**
   * @param lead receives a signal that aborts when leadership is lost or `stop` aborts; it must return soon afterwards.
   * @returns false, without calling `lead`, if another process leads.
   */
  abstract lead(name: string, stop: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
}

/** Configuration of the reconciliation of web services. */
export abstract class ReconcilerSettings {
  abstract readonly deadlines: StageDeadlines;
  /** Maximum number of concurrent builds of all web services. */
  abstract readonly concurrentBuilds: number;
  /** Number of previously live deployments of each web service that can be rolled back to. */
  abstract readonly retainedReleases: number;
  /** Interval of polling for events of other replicas and for deadlines. */
  abstract readonly pollMs: number;
  /** Interval of comparing the runtime with the desired state. */
  abstract readonly reconcileMs: number;
  /** Minimum time between two deletions of old artefacts. */
  abstract readonly retainMs: number;
  /** Time without a responding instance after which the web service is set to failed. */
  abstract readonly unansweringMs: number;
}
