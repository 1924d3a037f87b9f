import { COUNTED_ITEMS, EXAMINED_ITEMS } from '@postern/contracts';

/** Which deliveries of the webhook `$1` are listed, in which order. */
export interface DeliveryList {
  /** Conditions that an index answers in the order of the list. */
  readonly base: string;
  /** The position of a cursor; empty without one. */
  readonly position: string;
  /** A condition without an index of its own; empty without one. */
  readonly rest: string;
  readonly newestFirst: boolean;
  readonly limit: number;
  readonly offset: number;
}

const orderOf = ({ newestFirst }: DeliveryList): string => (newestFirst ? 'DESC' : 'ASC');
const and = (...conditions: string[]): string => conditions.filter(condition => condition !== '').join(' AND ');

const COLUMNS = 'id, state, created_at';

/** The ids of one page. */
export const DELIVERIES_PAGE = (list: DeliveryList): string => {
  const { base, position, rest, limit, offset } = list;
  const order = `ORDER BY created_at ${orderOf(list)}, id ${orderOf(list)}`;
  return `
  SELECT id FROM (
    SELECT ${COLUMNS} FROM deliveries WHERE ${and(base, position)} ${order}
    LIMIT ${rest === '' ? limit + offset : EXAMINED_ITEMS}) AS examined
  ${rest === '' ? '' : `WHERE ${rest}`} ${order} LIMIT ${limit} OFFSET ${offset}`;
};

/** A row if a page does not examine all deliveries of the list. */
export const MORE_DELIVERIES = (list: DeliveryList): string => `
  SELECT 1 FROM deliveries WHERE ${and(list.base, list.position)}
  ORDER BY created_at ${orderOf(list)}, id ${orderOf(list)} LIMIT 1 OFFSET ${EXAMINED_ITEMS}`;

/** Counts the deliveries of a list among those that are examined, up to one more than is shown. */
export const COUNT_DELIVERIES = ({ base, rest }: DeliveryList): string =>
  rest === ''
    ? `SELECT count(*)::int AS count FROM (SELECT 1 FROM deliveries WHERE ${base} LIMIT ${COUNTED_ITEMS + 1}) AS counted`
    : `
  WITH examined AS (
    SELECT (${rest}) AS matches FROM deliveries WHERE ${base}
    ORDER BY created_at DESC, id DESC LIMIT ${EXAMINED_ITEMS + 1}
  )
  SELECT count(*) FILTER (WHERE matches)::int AS count, count(*) > ${EXAMINED_ITEMS} AS more FROM examined`;

/** One page of pending deliveries with their number, if they are few enough to sort. */
export const PENDING_DELIVERIES = (list: DeliveryList): string => `
  WITH pending AS MATERIALIZED (
    SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT ${EXAMINED_ITEMS + 1}
  ), sized AS MATERIALIZED (SELECT count(*)::int AS count FROM pending)
  SELECT sized.count, page.id FROM sized LEFT JOIN LATERAL (
    SELECT id FROM pending WHERE ${and(`sized.count <= ${EXAMINED_ITEMS}`, list.position)}
    ORDER BY created_at ${orderOf(list)}, id ${orderOf(list)} LIMIT ${list.limit} OFFSET ${list.offset}
  ) AS page ON true`;

/** The place of the delivery `$1` of the webhook `$2` in the order of its lists. */
export const PLACE_OF_DELIVERY = 'SELECT created_at::text AS at FROM deliveries WHERE id = $1 AND webhook_id = $2';

const example: DeliveryList = {
  base: 'webhook_id = $1',
  position: '(created_at, id) < ($2::timestamptz, $3::uuid)',
  rest: "state = 'accepted'",
  newestFirst: true,
  limit: 20,
  offset: 0,
};

export const examples = {
  DELIVERIES_PAGE: DELIVERIES_PAGE(example),
  MORE_DELIVERIES: MORE_DELIVERIES({ ...example, newestFirst: false }),
  COUNT_DELIVERIES: COUNT_DELIVERIES({ ...example, rest: '' }),
  PENDING_DELIVERIES: PENDING_DELIVERIES(example),
};
