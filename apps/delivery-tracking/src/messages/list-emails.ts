import { Injectable } from '@nestjs/common';
import { EXAMINED_ITEMS, listEmails, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import {
  cappedTotal,
  Database,
  type ListCursor,
  listCursor,
  parameterized,
  queryTooBroad,
  unknownCursor,
  withinListTime,
} from '@postern/service-host';
import type pg from 'pg';
import { replyOf, type TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';
import { emailListOf, type PlannedList } from './email-list.js';
import {
  COUNT_EMAILS,
  COUNT_EMAILS_OF_SERVICE,
  EMAILS_PAGE,
  FOUND_EMAILS_PAGE,
  NOT_EXAMINED,
  TIME_OF_EMAIL,
} from './list-emails.sql.js';

type Request = RequestOf<typeof listEmails>;
type Reply = ReplyOf<typeof listEmails>;

/** A page before its total is known. */
interface Found {
  readonly rows: readonly TrackedEmailRow[];
  readonly searchedSince?: string;
}

const ADVICE = 'Narrow the period with `from` and `to`, or search the beginning of an address of a recipient.';

/** The list of the messages of a service. Each query reads a bounded number of rows, however many messages there are. */
@Injectable()
export class ListEmails {
  constructor(private readonly database: Database) {}

  /** Newest first. Refuses `query_too_broad` instead of reading all messages. */
  @Handles(listEmails)
  async list(request: Request): Promise<Reply> {
    const { limit, offset } = request;
    const cursor = listCursor(request);
    const at = cursor && (await this.#timeOf(request, cursor));
    const planned = emailListOf(request, cursor && at ? { ...cursor, at } : undefined);
    return withinListTime(this.database.pool, ADVICE, async client => {
      const { rows, searchedSince } = await pageOf(client, planned);
      const { total, ...capped } = await totalOf(client, planned);
      return {
        items: (planned.list.newestFirst ? rows : rows.toReversed()).map(replyOf),
        // While the read model is rebuilt, its counters may lag behind.
        total: Math.max(total, offset + rows.length),
        ...capped,
        ...(searchedSince === undefined ? {} : { searched_since: searchedSince }),
        limit,
        offset,
      };
    });
  }

  async #timeOf({ service_id }: Request, cursor: ListCursor): Promise<string> {
    const { rows } = await this.database.pool.query<{ at: string }>(TIME_OF_EMAIL, [cursor.id, service_id]);
    if (!rows[0]) throw unknownCursor(cursor);
    return rows[0].at;
  }
}

async function pageOf(client: pg.PoolClient, { list, values, alternative }: PlannedList): Promise<Found> {
  const { rows } = await client.query<TrackedEmailRow>(parameterized(EMAILS_PAGE(list), values));
  if (list.rest === '' || rows.length === list.limit) return { rows };
  const last = await client.query<{ at: string }>(parameterized(NOT_EXAMINED(list), values));
  const searchedSince = last.rows[0]?.at;
  if (searchedSince === undefined) return { rows };
  if (!alternative) throw queryTooBroad(ADVICE);
  const found = await client.query<TrackedEmailRow & { readonly count: number }>(
    parameterized(FOUND_EMAILS_PAGE({ ...list, ...alternative }), values),
  );
  const matches = found.rows.flatMap(({ count: _, ...row }) => (row.id === null ? [] : [row]));
  const tooMany = (found.rows[0]?.count ?? 0) > EXAMINED_ITEMS;
  // An empty page would say that no message matches, although not all were examined.
  if (tooMany || (matches.length === 0 && !alternative.complete && list.offset === 0)) throw queryTooBroad(ADVICE);
  return alternative.complete ? { rows: matches } : { rows: matches, searchedSince };
}

async function totalOf(
  client: pg.PoolClient,
  { list, values, unfiltered }: PlannedList,
): Promise<Pick<Reply, 'total' | 'total_capped'>> {
  const count = unfiltered ? COUNT_EMAILS_OF_SERVICE : COUNT_EMAILS(list);
  const { rows } = await client.query<{ count: number; more?: boolean }>(parameterized(count, values));
  const { count: total = 0, more = false } = rows[0] ?? {};
  if (unfiltered) return { total };
  return more ? { ...cappedTotal(total), total_capped: true } : cappedTotal(total);
}
