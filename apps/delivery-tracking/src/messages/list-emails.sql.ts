import { COUNTED_ITEMS, EXAMINED_ITEMS } from '@postern/contracts';
import { ROW_COLUMNS } from '../tracked-emails/tracked-email-columns.js';

/** A list of messages as conditions of SQL. */
export interface EmailList {
  /** Conditions that an index answers in the order of the list; `base` also contains the period. */
  readonly base: string;
  /** The position of a cursor; empty without one. */
  readonly position: string;
  /** Conditions without an index of their own; empty if there is none. */
  readonly rest: string;
  readonly newestFirst: boolean;
  readonly limit: number;
  readonly offset: number;
}

const orderOf = ({ newestFirst }: EmailList): string => (newestFirst ? 'DESC' : 'ASC');
const and = (...conditions: string[]): string => conditions.filter(condition => condition !== '').join(' AND ');

/** The newest messages in the order of the list, up to the limit of what is examined. */
const examined = (list: EmailList, most: number): string => `
    SELECT * FROM tracked_emails WHERE ${and(list.base, list.position)}
    ORDER BY accepted_at ${orderOf(list)}, id ${orderOf(list)} LIMIT ${most}`;

/** One page, and whether all messages of the list were examined for it if it is not full. */
export const EMAILS_PAGE = (list: EmailList): string => {
  const { rest, limit, offset } = list;
  const most = rest === '' ? limit + offset : EXAMINED_ITEMS;
  return `
  SELECT ${ROW_COLUMNS} FROM (${examined(list, most)}) AS examined
  ${rest === '' ? '' : `WHERE ${rest}`}
  ORDER BY examined.accepted_at ${orderOf(list)}, id ${orderOf(list)} LIMIT ${limit} OFFSET ${offset}`;
};

const placeAt = (list: EmailList, offset: number): string => `
  SELECT to_char(accepted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, id
  FROM tracked_emails WHERE ${and(list.base, list.position)}
  ORDER BY tracked_emails.accepted_at ${orderOf(list)}, id ${orderOf(list)} LIMIT 1 OFFSET ${offset}`;

/** The place of the last message that a page examines, if it examines as many as it may. */
export const EXAMINED_UP_TO = (list: EmailList): string => placeAt(list, EXAMINED_ITEMS - 1);

/** The place of the first message that a page does not examine, if there is one. */
export const NOT_EXAMINED = (list: EmailList): string => placeAt(list, EXAMINED_ITEMS);

/** Counts the messages of a list among those that are examined, up to one more than is shown. */
export const COUNT_EMAILS = ({ base, rest }: EmailList): string =>
  rest === ''
    ? `SELECT count(*)::int AS count FROM (SELECT 1 FROM tracked_emails WHERE ${base} LIMIT ${COUNTED_ITEMS + 1}) AS counted`
    : `
  WITH examined AS (
    SELECT (${rest}) AS matches FROM tracked_emails WHERE ${base}
    ORDER BY accepted_at DESC, id DESC LIMIT ${EXAMINED_ITEMS + 1}
  )
  SELECT count(*) FILTER (WHERE matches)::int AS count, count(*) > ${EXAMINED_ITEMS} AS more FROM examined`;

/** The number of messages of the service `$1`, from its counters. */
export const COUNT_EMAILS_OF_SERVICE = `
  SELECT coalesce(sum(messages), 0)::float8 AS count FROM (
    SELECT messages FROM daily_email_counts WHERE service_id = $1
    UNION ALL SELECT messages FROM daily_simulator_counts WHERE service_id = $1) AS days`;

/** When the message `$1` of the service `$2` was accepted. */
export const TIME_OF_EMAIL = 'SELECT accepted_at::text AS at FROM tracked_emails WHERE id = $1 AND service_id = $2';

/** Messages that another index finds, in no order, and how many they are. */
export interface FoundEmails {
  /** A statement that returns ids. */
  readonly found: string;
  /** The conditions of the list without the one that `found` answers. */
  readonly others: string;
}

/** One page of the messages that another index finds, or the number found alone if there are too many to sort. */
export const FOUND_EMAILS_PAGE = (list: EmailList & FoundEmails): string => `
  WITH found AS MATERIALIZED (${list.found}), sized AS MATERIALIZED (SELECT count(*)::int AS count FROM found)
  SELECT sized.count, page.* FROM sized LEFT JOIN LATERAL (
    SELECT ${ROW_COLUMNS} FROM tracked_emails
    WHERE sized.count <= ${EXAMINED_ITEMS} AND id = ANY (ARRAY(SELECT id FROM found)) AND ${and(list.others, list.position)}
    ORDER BY tracked_emails.accepted_at ${orderOf(list)}, id ${orderOf(list)} LIMIT ${list.limit} OFFSET ${list.offset}
  ) AS page ON true`;

/** The parameters of a search, and its conditions: the text in a message, and the period. */
export type AddressSearch = Readonly<Record<'service' | 'from' | 'until' | 'text' | 'period', string>>;

/** Finds messages by the beginning of a recipient's address, between `from` and `until`, and those examined for `text`. */
export const foundByAddress = (list: EmailList & AddressSearch): string => {
  const { service, from, until, text, period } = list;
  return `
    (SELECT id FROM tracked_emails
      WHERE service_id = ${service} AND address >= ${from} AND address < ${until} AND ${and(period, list.position)}
      LIMIT ${EXAMINED_ITEMS + 1})
    UNION (SELECT email_id FROM (SELECT email_id, email_id AS id, accepted_at FROM tracked_other_recipients
      WHERE service_id = ${service} AND address >= ${from} AND address < ${until}) AS other
      WHERE ${and(period, list.position)} LIMIT ${EXAMINED_ITEMS + 1})
    UNION (SELECT id FROM (${examined(list, EXAMINED_ITEMS)}) AS examined WHERE ${text})`;
};

/** Finds messages by a tag. */
export const foundByTag = (tag: string): string => `
    SELECT id FROM tracked_emails WHERE tags @> ARRAY[${tag}::text] LIMIT ${EXAMINED_ITEMS + 1}`;

const example: EmailList = {
  base: "service_id = $1 AND states @> '{bounced}'",
  position: '(accepted_at, id) < ($2::timestamptz, $3::uuid)',
  rest: 'search LIKE $4',
  newestFirst: true,
  limit: 20,
  offset: 0,
};
const search = { service: '$1', from: '$4', until: '$5', text: 'search LIKE $6', period: 'accepted_at >= $7' };
const byAddress = foundByAddress({ ...example, ...search });

export const examples = {
  EMAILS_PAGE: EMAILS_PAGE(example),
  EXAMINED_UP_TO: EXAMINED_UP_TO(example),
  NOT_EXAMINED: NOT_EXAMINED({ ...example, newestFirst: false }),
  COUNT_EMAILS: COUNT_EMAILS({ ...example, rest: '' }),
  FOUND_EMAILS_PAGE: FOUND_EMAILS_PAGE({ ...example, found: byAddress, others: example.base }),
  foundByAddress: byAddress,
  foundByTag: foundByTag('$1'),
};
