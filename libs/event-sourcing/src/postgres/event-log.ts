import { BEGINNING, comparePositions, type Position, type RecordedEvent } from '../event.js';
import {
  ADOPT_IDENTITY,
  BEGIN_LOG,
  HAS_READERS,
  LOCK_LOGS,
  SAVE_READER,
  SELECT_COMMON,
  SELECT_EPOCH,
  SELECT_LOG,
  SELECT_READER,
  SELECT_READERS,
  SELECT_RESTORES,
} from './event-log.sql.js';
import { lagAfter, readFeed } from './feed.js';
import type { Lag } from './observe-lag.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { inTransaction } from './transaction.js';

/** A position with the id of its event, which proves that a log holds what was read. */
export interface ProvenPosition extends Position {
  readonly event_id: string;
}

/** The position of a reader, and the log that it belongs to. */
export interface LogPosition extends ProvenPosition {
  readonly epoch: string;
}

export interface LogRequest {
  readonly reader: string;
  readonly types: readonly string[];
  /** Null for a reader that has read nothing. */
  readonly after: LogPosition | null;
  /** Up to where the reader has handled events, if it reads ahead; otherwise `after`. */
  readonly handled?: LogPosition | null | undefined;
}

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly position: LogPosition | null;
  readonly more: boolean;
  readonly hidden: boolean;
  /** The page starts before the requested position, because the log does not hold it. */
  readonly restarted: boolean;
}

export interface ReaderStatus {
  readonly reader: string;
  readonly askedSecondsAgo: number;
  /** What it has not read yet, events of other types included. */
  readonly lag: Lag;
}

/** A change of the log, for operators. */
export interface Restore {
  readonly cause: string;
  readonly at: Date;
}

export interface EventLogOptions {
  readonly store: PostgresEventStore;
  /** Called once for each restore, on the replica that notices it. */
  readonly onRestored?: (cause: string) => void;
}

const PAGE = 256;
/** A reader of rare types scans this many pages at a request. */
const PAGES = 20;
/** How often the position of a reader is saved while it reads on, and while it waits. */
const SAVE_EVERY_MS = 1_000;
const SAVE_IDLE_EVERY_MS = 5_000;

interface Start {
  readonly epoch: string;
  readonly position: ProvenPosition | null;
  readonly restarted: boolean;
}

/** The log of a service as its readers see it: pages after a position, and what to do after a restore (decision 71). */
export class EventLog {
  readonly #saved = new Map<string, { readonly pos: string; readonly at: number }>();

  constructor(private readonly options: EventLogOptions) {}

  async page({ reader, types, after, handled }: LogRequest): Promise<LogPage> {
    const { pool, upcasters } = this.options.store;
    const { epoch, position, restarted } = await this.#start(reader, after);
    await this.#saveReader(reader, epoch, handledOf(handled, epoch, position));
    let from: Position = position ?? BEGINNING;
    let eventId = position?.event_id;
    for (let page = 1; ; page++) {
      const read = await readFeed(pool, from, PAGE, { types, upcasters });
      from = read.position;
      eventId = read.lastEventId ?? eventId;
      if (read.full && read.events.length === 0 && page < PAGES) continue;
      const { events, full: more, hidden } = read;
      const end = eventId === undefined ? null : { epoch, txid: from.txid, pos: from.pos, event_id: eventId };
      return { events, position: end, more, hidden, restarted };
    }
  }

  /** The lag of a reader that has read nothing. */
  lagOfAll(): Promise<Lag> {
    return lagAfter(this.options.store.pool, BEGINNING);
  }

  async readers(): Promise<readonly ReaderStatus[]> {
    const { pool } = this.options.store;
    const { rows } = await pool.query<Position & { reader: string; askedSecondsAgo: number }>(SELECT_READERS);
    return Promise.all(
      rows.map(async ({ reader, askedSecondsAgo, ...position }) => ({
        reader,
        askedSecondsAgo,
        lag: await lagAfter(pool, position),
      })),
    );
  }

  async reader(name: string): Promise<ReaderStatus | undefined> {
    return (await this.readers()).find(({ reader }) => reader === name);
  }

  /** The restores of the last days. */
  async restores(days: number): Promise<readonly Restore[]> {
    return (await this.options.store.pool.query<Restore>(SELECT_RESTORES, [days])).rows;
  }

  async #start(reader: string, after: LogPosition | null): Promise<Start> {
    const { pool } = this.options.store;
    const { txid, pos } = after ?? BEGINNING;
    const { rows } = await pool.query<{ epoch: string; same: boolean; event_id: string | null; complete: boolean }>({
      name: 'event-store-log',
      text: SELECT_LOG,
      values: [txid, pos],
    });
    const log = rows[0];
    if (!log) throw new Error('the event store has no log: its tables are not migrated');
    if (!log.same) {
      await this.#begin(log.epoch, 'its database was restored, moved or promoted');
      return this.#start(reader, after);
    }
    const { epoch } = log;
    if (!after) return { epoch, position: null, restarted: false };
    if (after.epoch !== epoch) return { epoch, position: await this.#common(reader, after), restarted: true };
    if (log.event_id === after.event_id) return { epoch, position: after, restarted: false };
    if (log.complete || log.event_id !== null) {
      await this.#begin(epoch, `${reader} had read events that it does not hold`);
      return this.#start(reader, after);
    }
    // Deleted with its owner, or the log was restored long ago: what the reader asked for earlier is certain in both cases.
    return { epoch, position: await this.#lastOf(reader, epoch, after), restarted: false };
  }

  /** Begins another log, unless another replica has. */
  async #begin(epoch: string, cause: string): Promise<void> {
    const isNew = await inTransaction(this.options.store.pool, async client => {
      await client.query(LOCK_LOGS);
      const { rows } = await client.query<{ epoch: string }>(SELECT_EPOCH);
      if (rows[0]?.epoch !== epoch) return false;
      if ((await client.query(HAS_READERS)).rowCount === 0) {
        await client.query(ADOPT_IDENTITY, [epoch]);
        return false;
      }
      await client.query(BEGIN_LOG, [cause]);
      return true;
    });
    if (isNew) this.options.onRestored?.(cause);
  }

  async #common(reader: string, after: LogPosition): Promise<ProvenPosition | null> {
    const { rows } = await this.options.store.pool.query<ReaderRow>(SELECT_COMMON, [reader, after.epoch]);
    return earlier(after, rows[0]);
  }

  async #lastOf(reader: string, epoch: string, after: LogPosition): Promise<ProvenPosition | null> {
    const { rows } = await this.options.store.pool.query<ReaderRow>(SELECT_READER, [reader, epoch]);
    return earlier(after, rows[0]);
  }

  /** Only positions that this log is known to hold, so that they are a start after a restore. */
  async #saveReader(reader: string, epoch: string, position: ProvenPosition | null): Promise<void> {
    const { txid, pos } = position ?? BEGINNING;
    const key = `${reader} ${epoch}`;
    const saved = this.#saved.get(key);
    const waitMs = saved?.pos === pos ? SAVE_IDLE_EVERY_MS : SAVE_EVERY_MS;
    if (saved && performance.now() - saved.at < waitMs) return;
    this.#saved.set(key, { pos, at: performance.now() });
    await this.options.store.pool.query({
      name: 'event-store-save-reader',
      text: SAVE_READER,
      values: [reader, epoch, txid, pos, position?.event_id ?? null],
    });
  }
}

/** Never after the verified position, which is earlier if the log does not hold the one that the reader names. */
const handledOf = (
  handled: LogPosition | null | undefined,
  epoch: string,
  position: ProvenPosition | null,
): ProvenPosition | null => {
  if (handled === null || position === null) return null;
  return handled?.epoch === epoch && comparePositions(handled, position) <= 0 ? handled : position;
};

type ReaderRow = { [Column in keyof ProvenPosition]: string | null };

const earlier = (after: LogPosition, row: ReaderRow | undefined): ProvenPosition | null => {
  if (!row?.txid || !row.pos || !row.event_id) return null;
  const known = { txid: row.txid, pos: row.pos, event_id: row.event_id };
  if (comparePositions(after, known) >= 0) return known;
  const { txid, pos, event_id } = after;
  return { txid, pos, event_id };
};
