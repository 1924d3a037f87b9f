import type { finding, keptRows } from '@postern/contracts';
import type { ErasableEvent, ErasedRows } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import type { z } from 'zod';
import type { Redaction } from './redaction.js';

export type Finding = z.output<typeof finding>;
export type KeptRows = z.output<typeof keptRows>;

export interface PersonalErasure extends Redaction {
  /** Every spelling of the address; case does not matter. */
  readonly forms: readonly string[];
  /** ASCII texts in lower case, one of which is in every JSON text that holds the address. */
  readonly traces: readonly string[];
  /** Any JSON value without the address; undefined where it was not in there. */
  readonly redact: (value: unknown) => unknown;
  /** The id of a stream, of which the address may be the last part; undefined where it is not. */
  readonly redactId: (streamId: string) => string | undefined;
}

export interface RowsOfEvents {
  readonly erased: ErasedRows;
  /** Rows that have to stay for now, because something under way still needs them. */
  readonly unfinished: number;
}

export interface RowsOnTheirOwn {
  readonly erased: ErasedRows;
  /** Where the next part begins; absent after the last one. */
  readonly next?: string;
}

/**
 * What a service keeps of recipients beside its events and the read models that are folded from them. Each call is
 * one transaction, given as `tx`, may be repeated, and counts rows by the names of their tables.
 */
export abstract class PersonalData {
  /** Whether the events of the service name recipients, and are rewritten. */
  readonly isInEvents: boolean = true;

  /** Erases the rows that belong to events about the person. The events name the replacement already. */
  abstract eraseRowsOf(
    events: readonly ErasableEvent[],
    erasure: PersonalErasure,
    tx: pg.ClientBase,
  ): Promise<RowsOfEvents>;

  /** Erases rows that are found by the address alone, in parts that stay within the limits of a statement. */
  abstract eraseRows(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn>;

  /** Why rows are left unfinished. */
  describeUnfinished(rows: number): string {
    return `${rows} rows are still in use`;
  }

  /** Rows that hold the address and are none of a recipient. */
  async kept(_erasure: PersonalErasure): Promise<readonly KeptRows[]> {
    return [];
  }
}

/** What a service stands on beside its database, looked at for an operator. */
export abstract class Diagnosis {
  abstract findings(): Promise<readonly Finding[]>;
}
