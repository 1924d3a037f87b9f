import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';

/** One part of a projection: its tables, the event types that it consumes, and the changes by one event. */
export interface ReadModel<Event extends { readonly type: string; readonly data: object }> {
  readonly tables: readonly string[];
  readonly eventTypes: readonly Event['type'][];
  apply(event: Event, tx: ProjectionTransaction): Promise<unknown>;
}
