import type { finding, keptRows } from '@postern/contracts';
import type { ErasableEvent, ErasedRows } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { z } from 'zod';
import type { Redaction } from './redaction.js';

export type Finding = z.output<typeof finding>;
export type KeptRows = z.output<typeof keptRows>;

export interface PersonalErasure extends Redaction {
  /** Every spelling of the address, ignoring case. */
  readonly forms: readonly string[];
  /** ASCII texts in lower case; every JSON text with the address contains one of them. */
  readonly traces: readonly string[];
  /** Returns a JSON value without the address; undefined if the value does not contain it. */
  readonly redact: (value: unknown) => unknown;
  /** Returns a stream id without the address, which may be its last part; undefined if it is not. */
  readonly redactId: (streamId: string) => string | undefined;
}

export interface RowsOfEvents {
  readonly erased: ErasedRows;
  /** Rows that are still in use. */
  readonly unfinished: number;
}

export interface RowsOnTheirOwn {
  readonly erased: ErasedRows;
  /** The start of the next batch; absent after the last one. */
  readonly next?: string;
}

/**
 * A service's data about recipients, besides events and their read models. Each call is one transaction (`tx`), is
 * idempotent, and counts rows by table.
 */
export abstract class PersonalData {
  /** Whether events of the service contain data about recipients. */
  readonly isInEvents: boolean = true;

  /** Erases rows that belong to events about the person. The events already contain the replacement. */
  abstract eraseRowsOf(
    events: readonly ErasableEvent[],
    erasure: PersonalErasure,
    tx: pg.ClientBase,
  ): Promise<RowsOfEvents>;

  /** Erases rows that are found by the address, in batches within the statement timeout. */
  abstract eraseRows(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn>;

  /** Why rows are not erased yet. */
  describeUnfinished(rows: number): string {
    return `${rows} rows are still in use`;
  }

  /** Rows that contain the address but not as data of a recipient. */
  async kept(_erasure: PersonalErasure): Promise<readonly KeptRows[]> {
    return [];
  }
}
