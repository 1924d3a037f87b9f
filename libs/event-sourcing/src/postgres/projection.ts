import type pg from 'pg';
import type { RecordedEvent } from '../event.js';

/** The tables of a projection in the generation that is being written. */
export interface ProjectionTables {
  /** The quoted name of this generation's copy of a table; always use it in SQL that writes. */
  table(name: string): string;
}

/** What a projection may use: the transaction of its checkpoint, and its tables by generation. */
export interface ProjectionTransaction extends Pick<pg.ClientBase, 'query'>, ProjectionTables {}

/**
 * A read model, folded from the feed. It may be thrown away and rebuilt while the service runs, so `apply` touches
 * only the tables named here and depends on nothing but the events.
 */
export interface Projection {
  readonly name: string;
  /** To be raised when `apply` or the tables change; a service that starts with a higher one rebuilds by itself. */
  readonly version: number;
  /** The tables it owns, made by the service's migrations. Nothing may refer to them with a foreign key. */
  readonly tables: readonly string[];
  readonly eventTypes: readonly string[];
  /** Applies a batch in feed order. Runs again for the same events if its transaction fails, never otherwise. */
  apply(events: readonly RecordedEvent[], tx: ProjectionTransaction): Promise<void>;
}

export const projectionTransaction = (client: pg.ClientBase, generation: string): ProjectionTransaction => ({
  query: client.query.bind(client) as pg.ClientBase['query'],
  table: name => (generation === '' ? quote(name) : quote(`${name}${generation}`)),
});

export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
