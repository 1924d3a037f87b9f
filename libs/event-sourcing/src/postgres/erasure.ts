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

/** An event as an erasure sees it. */
export interface ErasableEvent {
  readonly streamId: string;
  readonly type: string;
  readonly data: object;
}

export interface Erasure {
  /** ASCII texts in lower case. Every event concerned contains one of them, in whatever case, in its JSON. */
  readonly containing: readonly string[];
  /** The data without what has to go, or undefined where the event has nothing of it. */
  readonly without: (event: ErasableEvent) => object | undefined;
  /** The id of a stream without what has to go, or undefined where it has nothing of it. */
  readonly withoutInId?: (streamId: string) => string | undefined;
  /** What the note of the erasure is kept under, and what stands in erased data; nothing that identifies the person. */
  readonly noteAs: string;
  /** Names of the read models that are folded from events of these types. */
  readonly readModelsOf?: (types: ReadonlySet<string>) => readonly string[];
}

export interface ErasedPage {
  /** The events that were changed, as they were. */
  readonly changed: readonly ErasableEvent[];
  /** Every event about the person, as it is now: changed here, or by an earlier run of the same erasure. */
  readonly concerned: readonly ErasableEvent[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: Position | undefined;
}

interface Row {
  readonly txid: string;
  readonly pos: string;
  readonly stream_id: string;
  readonly type: string;
  readonly data: object;
}

/** Events that one statement reads: few enough for anybody's statement timeout. */
const PAGE = 5_000;

/**
 * Takes what a person has the right to have erased out of one page of stored events: the one exception from
 * append-only. Only `data` and the ids of streams can be rewritten. Notes of the events and of the read models that have to be rebuilt are
 * written in the same transaction. May be repeated, and has to be where events about the person were being written.
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

/** All pages in one call. @returns the events as they were. */
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

/** Reads the rows again under a lock: an erasure of somebody else may have rewritten them meanwhile. */
const rewrite = async (client: pg.ClientBase, erasure: Erasure, rows: readonly Row[]): Promise<Change[]> => {
  // As an append does: in one order, before the first write.
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

/** Each stream keeps an id of its own, whole: another stream may have had the same id taken out before. */
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

/** Case is folded by the rules of "C": in other collations the letters of ASCII need not be what they seem. */
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
