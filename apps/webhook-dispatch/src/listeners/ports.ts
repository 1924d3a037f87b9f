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
