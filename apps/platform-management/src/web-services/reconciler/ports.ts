import type { StageDeadlines } from './next-steps.js';

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
