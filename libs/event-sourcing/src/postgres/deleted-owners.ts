import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';
import { lockStreams } from './append-all.js';
import {
  DELETE_SET_ASIDE,
  DELETE_STREAMS,
  END_PASS,
  FIND_DUE_OWNERS,
  FIND_STREAMS_OF_OWNER,
  RECORD_OWNER,
  SAVE_PLACE,
} from './deleted-owners.sql.js';
import { SELECT_PAGE_END } from './erasure.sql.js';
import { withLeadership } from './leadership.js';
import type { Queryable } from './queryable.js';
import { inTransaction } from './transaction.js';

/** The data that a service stores about an owner, such as an email service. Every step may be repeated after a crash. */
export interface OwnedData {
  /** The field of the events' data that names the owner. */
  readonly field: string;
  /** Types of events that are kept, such as those that record a deletion. They must not contain personal data. */
  readonly kept: readonly string[];
  /** Called before each pass. */
  readonly prepare?: (owner: string) => Promise<unknown>;
  /** Deletes the rows of some streams before their events are deleted, outside any transaction. */
  readonly deleteRowsOf?: (streamIds: readonly string[]) => Promise<unknown>;
  /** Deletes data that belongs to no stream; called after the events of a pass are deleted. */
  readonly finish?: (owner: string) => Promise<unknown>;
}

/**
 * Start times of the passes, in seconds after the deletion. At the first, no request is in flight; the later ones delete
 * data that arrives late, such as events that a broker kept while a service was down.
 */
const PASSES_AFTER_S = [180, 3_600, 86_400] as const;
/** Events per step, few enough for every statement timeout. */
const PAGE = 5_000;
const STREAMS_AT_ONCE = 500;

interface DueOwner {
  readonly owner: string;
  readonly passes: number;
  readonly txid: string | null;
  readonly pos: string | null;
}

/**
 * Deletes all events and rows of deleted owners: besides erasures the only exception to append-only. The position in the
 * feed is saved after each step, so that another process can continue.
 */
export class DeletedOwners {
  constructor(
    private readonly pool: pg.Pool,
    private readonly data: OwnedData,
  ) {}

  /** Records that an owner was deleted, in the transaction of the deletion or when a service receives its event. */
  static async record(db: Queryable, owner: string): Promise<void> {
    await db.query(RECORD_OWNER, [owner, PASSES_AFTER_S[0]]);
  }

  /** Runs all due passes, in one replica. */
  async run(stop: AbortSignal): Promise<void> {
    if ((await this.#due()).length === 0) return;
    await withLeadership(this.pool, 'deleted owners', stop, async lost => {
      for (const due of await this.#due()) {
        if (!lost.aborted) await this.#pass(due, lost);
      }
    });
  }

  async #due(): Promise<readonly DueOwner[]> {
    return (await this.pool.query<DueOwner>(FIND_DUE_OWNERS)).rows;
  }

  async #pass({ owner, passes, txid, pos }: DueOwner, lost: AbortSignal): Promise<void> {
    await this.data.prepare?.(owner);
    for (let from: Position | undefined = txid && pos ? { txid, pos } : BEGINNING; from; ) {
      if (lost.aborted) return;
      from = await this.#page(owner, from);
      if (from) await this.pool.query(SAVE_PLACE, [owner, from.txid, from.pos]);
    }
    await this.pool.query(DELETE_SET_ASIDE, [this.data.field, owner]);
    await this.data.finish?.(owner);
    await this.pool.query(END_PASS, [owner, PASSES_AFTER_S[passes + 1] ?? null]);
  }

  async #page(owner: string, from: Position): Promise<Position | undefined> {
    const { field, kept } = this.data;
    const { rows: ends } = await this.pool.query<Position>(SELECT_PAGE_END, [from.txid, from.pos, PAGE - 1]);
    const next = ends[0];
    const { rows } = await this.pool.query<{ stream_id: string }>(FIND_STREAMS_OF_OWNER, [
      from.txid,
      from.pos,
      next?.txid ?? null,
      next?.pos ?? null,
      field,
      owner,
      kept,
    ]);
    for (let at = 0; at < rows.length; at += STREAMS_AT_ONCE) {
      await this.#deleteStreams(rows.slice(at, at + STREAMS_AT_ONCE).map(({ stream_id }) => stream_id));
    }
    return next;
  }

  /** Rows first: after a crash between the two, the events still identify the remaining rows. */
  async #deleteStreams(streamIds: readonly string[]): Promise<void> {
    await this.data.deleteRowsOf?.(streamIds);
    await inTransaction(this.pool, async client => {
      await lockStreams(client, streamIds);
      await client.query("SELECT set_config('event_store.deleting', 'on', true)");
      await client.query(DELETE_STREAMS, [streamIds, this.data.kept]);
    });
  }
}
