import type { ProjectionTransaction } from '@postern/event-sourcing/postgres';

/** One part of a projection: its tables, what it listens to, and how one event changes them. */
export interface ReadModel<Event extends { readonly type: string; readonly data: object }> {
  readonly tables: readonly string[];
  readonly eventTypes: readonly Event['type'][];
  apply(event: Event, tx: ProjectionTransaction): Promise<unknown>;
}
