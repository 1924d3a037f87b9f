import type { StageDeadlines } from './next-steps.js';

/** Elects one process of all replicas. */
export abstract class Leadership {
  /**
   * @param lead gets a signal that aborts when leadership is lost or `stop` aborts; it must return soon afterwards.
   * @returns false, without having called `lead`, when another process leads.
   */
  abstract lead(name: string, stop: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
}

/** What the operator configures about reconciling web services. */
export abstract class ReconcilerSettings {
  abstract readonly deadlines: StageDeadlines;
  /** Concurrent builds of all web services. */
  abstract readonly concurrentBuilds: number;
  /** Deployments of each web service that were live and can be rolled back to. */
  abstract readonly retainedReleases: number;
  /** How often to poll for events of other replicas and for deadlines. */
  abstract readonly pollMs: number;
  /** How often to compare the runtime with the desired state. */
  abstract readonly reconcileMs: number;
  /** The shortest time between two deletions of old artefacts. */
  abstract readonly retainMs: number;
  /** How long no instance may answer before the web service counts as failed. */
  abstract readonly unansweringMs: number;
}
