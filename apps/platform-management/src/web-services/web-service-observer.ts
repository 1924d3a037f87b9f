import type { RuntimeStatus } from '@postern/runtime';
import type { WebServiceEvent } from './aggregate/events.js';
import type { WebService } from './aggregate/state.js';

/** The runtime status of a web service that serves; undefined when none of its instances run. */
export interface InstanceReading {
  readonly webServiceId: string;
  readonly status: RuntimeStatus | undefined;
}

/** Observes web services, for metrics. Callers do not wait for it, and it cannot fail them. */
export abstract class WebServiceObserver {
  /** Called once for committed events, in the process that appended them. */
  abstract eventsCommitted(before: WebService, events: readonly WebServiceEvent[]): void;

  /** Called by the leader with all web services that serve, and with none when it stops leading. */
  abstract instancesRead(readings: readonly InstanceReading[]): void;
}
