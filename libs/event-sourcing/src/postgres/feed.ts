import { BEGINNING, type Position, type RecordedEvent } from '../event.js';
import type { Upcasters } from '../upcasting.js';
import { COUNT_AFTER, FEED_END, LAG_AFTER, LATEST_POSITION, READ_FEED } from './feed.sql.js';
import type { Lag } from './observe-lag.js';
import type { Queryable } from './queryable.js';
import { recordedEvent, type StoredEvent } from './stored-event.js';

export interface FeedPage {
  /** Events of the requested types, in commit order. */
  readonly events: readonly RecordedEvent[];
  /** The end of the page, including events of other types; the start when there are none. */
  readonly position: Position;
  /** The id of the event at the end of the page; undefined for an empty one. */
  readonly lastEventId: string | undefined;
  /** Whether more events may follow. */
  readonly full: boolean;
  /** Whether an older open transaction hides committed events after the page. */
  readonly hidden: boolean;
}

interface FeedRow extends Omit<StoredEvent, 'data'> {
  readonly data: object | null;
  readonly place: string | null;
  readonly hidden: boolean | null;
}

export const readFeed = async (
  db: Queryable,
  after: Position,
  limit: number,
  { types, upcasters = {} }: { readonly types?: readonly string[] | undefined; readonly upcasters?: Upcasters } = {},
): Promise<FeedPage> => {
  // An upcaster may translate an older type into a requested type.
  const stored = types && [...types, ...Object.keys(upcasters)];
  const { rows } = await db.query<FeedRow>({
    // The limit is part of the text, because PostgreSQL plans a full sort for an unknown limit.
    name: `event-store-read-feed-${limit}`,
    text: READ_FEED(limit),
    values: [after.txid, after.pos, stored ?? null],
  });
  const last = rows.at(-1);
  const reached = last?.place ? last : undefined;
  return {
    events: rows
      .filter((row): row is FeedRow & StoredEvent => row.data !== null)
      .map(row => recordedEvent(row, upcasters))
      .filter(event => types?.includes(event.type) ?? true),
    position: reached ? { txid: reached.txid, pos: reached.pos } : after,
    lastEventId: reached?.id,
    full: Number(reached?.place ?? 0) === limit,
    hidden: last?.hidden ?? false,
  };
};

/** Counts the events after a position, up to `limit`. */
export const countAfter = async (db: Queryable, after: Position, limit = 100_000): Promise<number> => {
  const { rows } = await db.query<{ count: string }>(COUNT_AFTER, [after.txid, after.pos, limit]);
  return Number(rows[0]?.count ?? 0);
};

/** The lag of a reader at a position; counts up to `limit` events. */
export const lagAfter = async (db: Queryable, after: Position, limit = 100_000): Promise<Lag> => {
  const { rows } = await db.query<{ events: string; seconds: number }>({
    name: 'event-store-lag',
    text: LAG_AFTER,
    values: [after.txid, after.pos, limit],
  });
  return { events: Number(rows[0]?.events ?? 0), seconds: rows[0]?.seconds ?? 0 };
};

/** The last position that the feed shows now. */
export const feedEnd = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<Position>({
    name: 'event-store-feed-end',
    text: FEED_END,
  });
  return rows[0] ?? BEGINNING;
};

/** The position of the last committed event. The feed shows it when no older transaction runs. */
export const latestPosition = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<Position>(LATEST_POSITION);
  return rows[0] ?? BEGINNING;
};
