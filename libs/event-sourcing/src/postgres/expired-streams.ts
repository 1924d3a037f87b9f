import type pg from 'pg';
import { lockStreams } from './append-all.js';
import { DELETE_EXPIRED, FIND_EXPIRED_STREAMS, IS_NEEDED } from './expired-streams.sql.js';
import { withLeadership } from './leadership.js';
import { inTransaction } from './transaction.js';

/** Streams whose ids are a prefix and a UUIDv7, so that their order is that of time. */
export interface ExpiringStreams {
  readonly prefix: string;
  /** Finds the next `$3` ids of streams between `$1` and `$2`, also those without events; all streams with events by default. */
  readonly find?: string;
  /** Deletes the rows of streams, in the transaction that deletes their events. */
  readonly deleteRowsOf: (client: pg.PoolClient, ids: readonly string[]) => Promise<unknown>;
}

/** Streams per transaction: an open write transaction holds back the feed of its database. */
const STEP = 250;

/**
 * Deletes the events and rows of streams with ids before `before`, in one replica. Ends early, until the next call, at
 * streams that a projection or consumer has not read, and while a projection is rebuilt.
 * @returns how many streams were deleted.
 */
export const deleteExpiredStreams = async (
  pool: pg.Pool,
  streams: ExpiringStreams,
  before: string,
  stop: AbortSignal,
): Promise<number> => {
  const { prefix, find = FIND_EXPIRED_STREAMS } = streams;
  let deleted = 0;
  await withLeadership(pool, `expired streams ${prefix}`, stop, async lost => {
    for (let after: string | undefined = prefix; after !== undefined && !lost.aborted; ) {
      const { rows }: { rows: { stream_id: string }[] } = await pool.query<{ stream_id: string }>(find, [
        after,
        `${prefix}${before}`,
        STEP,
      ]);
      const streamIds = rows.map(({ stream_id }) => stream_id);
      if (streamIds.length === 0 || !(await deleteStep(pool, streams, streamIds))) return;
      deleted += streamIds.length;
      after = streamIds.length === STEP ? streamIds.at(-1) : undefined;
    }
  });
  return deleted;
};

/** @returns false if the streams are still needed. */
const deleteStep = (
  pool: pg.Pool,
  { prefix, deleteRowsOf }: ExpiringStreams,
  streamIds: readonly string[],
): Promise<boolean> =>
  inTransaction(pool, async client => {
    await lockStreams(client, streamIds);
    // A generation of a projection that begins now would fold events that are being deleted.
    await client.query('LOCK TABLE event_store.projections IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await client.query<{ needed: boolean }>(IS_NEEDED, [streamIds]);
    if (rows[0]?.needed !== false) return false;
    await deleteRowsOf(
      client,
      streamIds.map(id => id.slice(prefix.length)),
    );
    await client.query("SELECT set_config('event_store.deleting', 'on', true)");
    await client.query(DELETE_EXPIRED, [streamIds]);
    return true;
  });
