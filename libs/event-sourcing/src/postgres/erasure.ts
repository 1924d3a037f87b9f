import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';
import { lockStreams } from './append-all.js';
import {
  COUNT_ERASED_EVENTS,
  RENAME_STREAMS,
  SELECT_HELD_EVENTS,
  SELECT_PAGE,
  SELECT_PAGE_END,
  UPDATE_EVENTS,
} from './erasure.sql.js';
import { ErasureNotes } from './erasure-notes.js';
import { inTransaction } from './transaction.js';

/** An event that an erasure reads. */
export interface ErasableEvent {
  readonly streamId: string;
  readonly type: string;
  readonly data: object;
}

export interface Erasure {
  /** ASCII texts in lower case. The JSON of every affected event contains one of them, in any case. */
  readonly containing: readonly string[];
  /** Returns the data without the personal data; undefined when there is none. */
  readonly without: (event: ErasableEvent) => object | undefined;
  /** Returns the id of a stream without the personal data; undefined when there is none. */
  readonly withoutInId?: (streamId: string) => string | undefined;
  /** Identifies the erasure and replaces erased data; must not identify the person. */
  readonly noteAs: string;
  /** Names of the read models that apply events of these types. */
  readonly readModelsOf?: (types: ReadonlySet<string>) => readonly string[];
}

export interface ErasedPage {
  /** The changed events before the change. */
  readonly changed: readonly ErasableEvent[];
  /** Every event about the person after the change, also those that an earlier run changed. */
  readonly concerned: readonly ErasableEvent[];
  /** The start of the next page; undefined after the last page. */
  readonly next: Position | undefined;
}

interface Row {
  readonly txid: string;
  readonly pos: string;
  readonly stream_id: string;
  readonly type: string;
  readonly data: object;
}

/** Events per statement, few enough for every statement timeout. */
const PAGE = 5_000;

/**
 * Erases personal data from `data` and stream ids of one page of events, the only exception to append-only, and records the
 * read models to rebuild. Must be repeated if events about the person were being written.
 */
export const eraseFromPage = async (
  pool: pg.Pool,
  erasure: Erasure,
  from: Position = BEGINNING,
): Promise<ErasedPage> => {
  const next = await endOfPage(pool, from);
  const found = await rowsWithin(pool, from, next, [...erasure.containing, erasure.noteAs]);
  const stale = found.filter(row => erasure.without(eventOf(row)) ?? erasure.withoutInId?.(row.stream_id));
  const changed = stale.length === 0 ? [] : await inTransaction(pool, client => rewrite(client, erasure, stale));
  const fresh = new Map(changed.map(({ row, data }) => [placeOf(row), data]));
  const concerned = found
    .map(row => ({ ...row, data: fresh.get(placeOf(row)) ?? row.data }))
    .filter(({ data }) => JSON.stringify(data).includes(erasure.noteAs));
  return { changed: changed.map(({ row }) => eventOf(row)), concerned: concerned.map(eventOf), next };
};

/**
 * Erases all pages.
 * @returns the changed events before the change.
 */
export const eraseFromEvents = async (pool: pg.Pool, erasure: Erasure): Promise<ErasableEvent[]> => {
  const erased: ErasableEvent[] = [];
  for (let from: Position | undefined = BEGINNING; from; ) {
    const { changed, next }: ErasedPage = await eraseFromPage(pool, erasure, from);
    for (const event of changed) erased.push(event);
    from = next;
  }
  if (erased.length > 0) await new ErasureNotes(pool, erasure.noteAs).vacuum();
  return erased;
};

interface Change {
  readonly row: Row;
  readonly data: object;
}

/** Reads the rows again under a lock, because another erasure may have changed them. */
const rewrite = async (client: pg.ClientBase, erasure: Erasure, rows: readonly Row[]): Promise<Change[]> => {
  // In the same order as appends, before the first write.
  const streams = [...new Set(rows.map(row => row.stream_id))].filter(id => erasure.withoutInId?.(id) !== undefined);
  await lockStreams(client, streams);
  const { rows: held } = await client.query<Row>(SELECT_HELD_EVENTS, [
    rows.map(({ txid }) => txid),
    rows.map(({ pos }) => pos),
  ]);
  const changes = held.flatMap(row => {
    const data = erasure.without(eventOf(row));
    return data || streams.includes(row.stream_id) ? [{ row, data: data ?? row.data }] : [];
  });
  await client.query("SELECT set_config('event_store.erasing', 'on', true)");
  await client.query(UPDATE_EVENTS, [
    changes.map(({ row }) => row.txid),
    changes.map(({ row }) => row.pos),
    changes.map(({ data }) => JSON.stringify(data)),
  ]);
  await rename(client, streams, id => erasure.withoutInId?.(id) ?? id);
  await client.query(COUNT_ERASED_EVENTS, [erasure.noteAs, changes.length]);
  const types = new Set(changes.map(({ row }) => row.type));
  await ErasureNotes.count(client, erasure.noteAs, { events: changes.length });
  await ErasureNotes.requireRebuilds(client, erasure.noteAs, erasure.readModelsOf?.(types) ?? []);
  return changes;
};

/** The new id is unique, because the same id may already have been erased from another stream. */
const rename = async (
  client: pg.ClientBase,
  streams: readonly string[],
  renamed: (streamId: string) => string,
): Promise<void> => {
  await client.query(RENAME_STREAMS, [streams, streams.map(renamed)]);
};

const eventOf = ({ stream_id, type, data }: Row): ErasableEvent => ({ streamId: stream_id, type, data });

const placeOf = ({ txid, pos }: Row): string => `${txid}/${pos}`;

const endOfPage = async (pool: pg.Pool, from: Position): Promise<Position | undefined> => {
  const { rows } = await pool.query<Position>(SELECT_PAGE_END, [from.txid, from.pos, PAGE - 1]);
  return rows[0];
};

/** Lower case by the collation "C", because other collations may map ASCII letters differently. */
const rowsWithin = async (
  pool: pg.Pool,
  from: Position,
  end: Position | undefined,
  containing: readonly string[],
): Promise<Row[]> => {
  const { rows } = await pool.query<Row>(SELECT_PAGE, [
    from.txid,
    from.pos,
    end?.txid ?? null,
    end?.pos ?? null,
    containing,
  ]);
  return rows;
};
