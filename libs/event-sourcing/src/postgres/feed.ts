import type pg from 'pg';
import { BEGINNING, type Position, type RecordedEvent } from '../event.js';
import type { Upcasters } from '../upcasting.js';
import { COUNT_AFTER, FEED_END, LAG_AFTER, LATEST_POSITION, READ_FEED } from './feed.sql.js';
import type { Lag } from './observe-lag.js';
import { recordedEvent, type StoredEvent } from './stored-event.js';

export interface FeedPage {
  /** Events of the asked types, in commit order. */
  readonly events: readonly RecordedEvent[];
  /** How far the page reaches, events of other types included; where it began when there was nothing. */
  readonly position: Position;
  /** Whether more may follow at once. */
  readonly full: boolean;
  /** Whether committed events lie behind the page that an older transaction, still running, keeps hidden. */
  readonly hidden: boolean;
}

interface FeedRow extends Omit<StoredEvent, 'data'> {
  readonly data: object | null;
  readonly place: string | null;
  readonly hidden: boolean | null;
}

type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

export const readFeed = async (
  db: Queryable,
  after: Position,
  limit: number,
  { types, upcasters = {} }: { readonly types?: readonly string[] | undefined; readonly upcasters?: Upcasters } = {},
): Promise<FeedPage> => {
  // An event of an older type may become one of the asked types only by its upcaster.
  const stored = types && [...types, ...Object.keys(upcasters)];
  const { rows } = await db.query<FeedRow>({
    // The limit is part of the text: a plan that does not know it sorts the whole table rather than use the index.
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
    full: Number(reached?.place ?? 0) === limit,
    hidden: last?.hidden ?? false,
  };
};

/** How many events lie after a position; counts no further than `limit`. */
export const countAfter = async (db: Queryable, after: Position, limit = 100_000): Promise<number> => {
  const { rows } = await db.query<{ count: string }>(COUNT_AFTER, [after.txid, after.pos, limit]);
  return Number(rows[0]?.count ?? 0);
};

/** How far a reader that stands at a position is behind; counts no further than `limit`. */
export const lagAfter = async (db: Queryable, after: Position, limit = 100_000): Promise<Lag> => {
  const { rows } = await db.query<{ events: string; seconds: number }>({
    name: 'event-store-lag',
    text: LAG_AFTER,
    values: [after.txid, after.pos, limit],
  });
  return { events: Number(rows[0]?.events ?? 0), seconds: rows[0]?.seconds ?? 0 };
};

/** The last position that the feed shows by now. */
export const feedEnd = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<Position>({
    name: 'event-store-feed-end',
    text: FEED_END,
  });
  return rows[0] ?? BEGINNING;
};

/** The last committed event's position; the feed may show it later, once no older transaction runs any more. */
export const latestPosition = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<Position>(LATEST_POSITION);
  return rows[0] ?? BEGINNING;
};
