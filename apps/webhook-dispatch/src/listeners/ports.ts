/** Identifies a listener of a service. */
export interface ListenerKey {
  readonly service_id: string;
  readonly listener_id: string;
}

/** A listener, and the time at which it expires unless it is read. */
export interface Listener {
  readonly id: string;
  readonly expiresAt: Date;
}

/** An event that waits for a listener. */
export interface ListenerEvent {
  readonly number: number;
  readonly body: string;
}

/** Stores listeners and the events that they have not read. The delivery queue adds the events. */
export abstract class ListenerRepository {
  /** Refuses `too_many_listeners` above the limit, across all replicas. */
  abstract create(serviceId: string): Promise<Listener>;
  /** Oldest first. */
  abstract list(serviceId: string): Promise<readonly Listener[]>;
  /** Deletes the events up to `after`, and postpones the expiry. Refuses `listener_not_found`. */
  abstract acknowledge(key: ListenerKey, after: number): Promise<void>;
  /** The next events after `after`, at most 100. */
  abstract eventsAfter(listenerId: string, after: number): Promise<readonly ListenerEvent[]>;
  /** Refuses `listener_not_found`. */
  abstract remove(key: ListenerKey): Promise<void>;
}
