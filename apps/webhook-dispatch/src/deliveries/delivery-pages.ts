import { EXAMINED_ITEMS, type listDeliveries, type ReplyOf, type RequestOf } from '@postern/contracts';
import {
  cappedTotal,
  listCursor,
  parameterized,
  queryTooBroad,
  unknownCursor,
  withinListTime,
} from '@postern/service-host';
import type pg from 'pg';
import {
  COUNT_DELIVERIES,
  DELIVERIES_PAGE,
  type DeliveryList,
  MORE_DELIVERIES,
  PENDING_DELIVERIES,
  PLACE_OF_DELIVERY,
} from './list-deliveries.sql.js';

type Request = RequestOf<typeof listDeliveries>;
type Total = Pick<ReplyOf<typeof listDeliveries>, 'total' | 'total_capped'>;

/** The deliveries of one page by their ids, and the total of the list. */
export interface DeliveryIds extends Total {
  readonly ids: readonly string[];
}

const ADVICE = 'List all deliveries instead, and read further with `after`.';

/** States with an index of their own. */
const INDEXED: ReadonlySet<string> = new Set(['refused', 'dropped', 'held']);

/** Finds a page of deliveries; reads a bounded number of rows. Refuses `query_too_broad` and `invalid_input`. */
export async function deliveryPage(pool: pg.Pool, request: Request): Promise<DeliveryIds> {
  const { webhook_id, state, limit, offset } = request;
  const cursor = listCursor(request);
  const values: unknown[] = [webhook_id];
  let position = '';
  if (cursor) {
    const { rows } = await pool.query<{ at: string }>(PLACE_OF_DELIVERY, [cursor.id, webhook_id]);
    if (!rows[0]) throw unknownCursor(cursor);
    values.push(rows[0].at, cursor.id);
    position = `(created_at, id) ${cursor.side === 'after' ? '<' : '>'} ($2::timestamptz, $3::uuid)`;
  }
  const indexed = state !== undefined && INDEXED.has(state);
  const list: DeliveryList = {
    base: indexed ? `webhook_id = $1 AND state = '${state}'` : 'webhook_id = $1',
    position,
    rest: state === undefined || indexed ? '' : `state = '${state}'`,
    newestFirst: cursor?.side !== 'before',
    limit,
    offset,
  };
  return withinListTime(pool, ADVICE, async client => {
    const { ids, total } = await pageOf(client, list, values, state === 'pending');
    const counted = total === undefined ? await totalOf(client, list, values) : cappedTotal(total);
    return {
      ...counted,
      total: Math.max(counted.total, offset + ids.length),
      ids: list.newestFirst ? ids : ids.toReversed(),
    };
  });
}

async function pageOf(
  client: pg.PoolClient,
  list: DeliveryList,
  values: readonly unknown[],
  pending: boolean,
): Promise<{ readonly ids: readonly string[]; readonly total?: number }> {
  if (pending) {
    const { rows } = await client.query<{ count: number; id: string | null }>(
      parameterized(PENDING_DELIVERIES(list), values),
    );
    const total = rows[0]?.count ?? 0;
    // A larger backlog is among the newest deliveries.
    if (total <= EXAMINED_ITEMS) return { ids: rows.flatMap(({ id }) => id ?? []), total };
  }
  const { rows } = await client.query<{ id: string }>(parameterized(DELIVERIES_PAGE(list), values));
  if (list.rest !== '' && rows.length < list.limit) {
    const more = await client.query(parameterized(MORE_DELIVERIES(list), values));
    if (more.rows.length > 0) throw queryTooBroad(ADVICE);
  }
  return { ids: rows.map(({ id }) => id) };
}

async function totalOf(client: pg.PoolClient, list: DeliveryList, values: readonly unknown[]): Promise<Total> {
  const { rows } = await client.query<{ count: number; more?: boolean }>(parameterized(COUNT_DELIVERIES(list), values));
  const { count = 0, more = false } = rows[0] ?? {};
  return more ? { ...cappedTotal(count), total_capped: true } : cappedTotal(count);
}
