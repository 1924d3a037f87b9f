import type { RuntimeStatus } from '../ports/runtime.js';
import type { WebServiceEvent } from './aggregate/events.js';
import type { WebService } from './aggregate/state.js';

/** What the runtime says of a service that serves; undefined when nothing of it runs. */
export interface InstanceReading {
  readonly webServiceId: string;
  readonly status: RuntimeStatus | undefined;
}

/** Whoever watches over the platform as a whole. Nothing waits for it, and it can refuse nothing. */
export abstract class PlatformObserver {
  /** Called when the events are committed, once for each and only where they were appended. */
  abstract changed(before: WebService, events: readonly WebServiceEvent[]): void;

  /** Called by the leader alone, with all services that serve; with none when it leads no longer. */
  abstract looked(readings: readonly InstanceReading[]): void;
}
