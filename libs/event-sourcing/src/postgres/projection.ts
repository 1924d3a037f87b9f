import type pg from 'pg';
import type { RecordedEvent } from '../event.js';

/** The tables of a projection in the generation that is being written. */
export interface ProjectionTables {
  /** The quoted name of this generation's copy of a table; always use it in SQL that writes. */
  table(name: string): string;
}

/** The interface for a projection: the transaction of its checkpoint, and its tables by generation. */
export interface ProjectionTransaction extends Pick<pg.ClientBase, 'query'>, ProjectionTables {}

/**
 * A read model built from the feed. It may be deleted and rebuilt while the service runs, so `apply` writes only its
 * own tables and depends only on the events.
 */
export interface Projection {
  readonly name: string;
  /**
   * Raise it when `apply` or the tables change; a service that starts with a higher version rebuilds the projection.
   */
  readonly version: number;
  /** Its tables, created by migrations of the service. No foreign key may refer to them. */
  readonly tables: readonly string[];
  readonly eventTypes: readonly string[];
  /** Applies a batch in feed order; called again for the same events only when its transaction failed. */
  apply(events: readonly RecordedEvent[], tx: ProjectionTransaction): Promise<void>;
  /**
   * For tables that also hold what another service said, written in transactions that call `heldGenerations`. Folds this part of the
   * next rows after `after` in the live tables into the tables of a rebuild; the events of the feed follow. Rows that are there already
   * are complete.
   * @returns where to continue; undefined at the end.
   */
  readonly carryOver?: (
    after: string,
    live: ProjectionTransaction,
    next: ProjectionTransaction,
  ) => Promise<string | undefined>;
}

export const projectionTransaction = (client: pg.ClientBase, generation: string): ProjectionTransaction => ({
  query: client.query.bind(client) as pg.ClientBase['query'],
  table: name => (generation === '' ? quote(name) : quote(`${name}${generation}`)),
});

export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
