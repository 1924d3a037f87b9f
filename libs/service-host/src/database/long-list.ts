import { COUNTED_ITEMS, EXAMINED_ITEMS, Refusal } from '@postern/contracts';
import { inPipelinedTransaction } from '@postern/event-sourcing/postgres';
import type pg from 'pg';

/** Shorter than the deadline of requests, which would be answered with 503. */
const LIMIT_MS = 2_500;

const QUERY_CANCELED = '57014';

/** The item of a list before or after which a page lies. */
export interface ListCursor {
  readonly side: 'after' | 'before';
  readonly id: string;
}

/** The cursor of a request. Refuses `invalid_input` if it is not the only position that the request names. */
export const listCursor = (request: {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly offset: number;
}): ListCursor | undefined => {
  const { after, before, offset } = request;
  if (after !== undefined && before !== undefined)
    throw new Refusal('invalid_input', 'before: cannot be combined with `after`');
  const id = after ?? before;
  if (id === undefined) return undefined;
  if (offset > 0) throw new Refusal('invalid_input', 'offset: cannot be combined with `after` or `before`');
  return { side: after === undefined ? 'before' : 'after', id };
};

/** The refusal of a cursor that is not in the list. */
export const unknownCursor = ({ side, id }: ListCursor): Refusal =>
  new Refusal('invalid_input', `${side}: the list has no item ${id}; start again without it`);

/** The total of a page, from a count that ended at the limit. */
export const cappedTotal = (count: number): { readonly total: number; readonly total_capped?: true } =>
  count > COUNTED_ITEMS ? { total: COUNTED_ITEMS, total_capped: true } : { total: count };

/** The refusal of a query that would examine too many items. `advice` is a sentence. */
export const queryTooBroad = (advice: string): Refusal =>
  new Refusal('query_too_broad', `the filter would have to examine more than ${EXAMINED_ITEMS} items. ${advice}`);

/** Runs the queries of a list. Refuses `query_too_broad` with `advice` if one of them takes too long. */
export const withinListTime = async <Result>(
  pool: pg.Pool,
  advice: string,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> => {
  try {
    return await inPipelinedTransaction(
      pool,
      client => [client.query(`SET LOCAL statement_timeout = ${LIMIT_MS}`)],
      work,
    );
  } catch (error) {
    throw (error as { code?: unknown }).code === QUERY_CANCELED ? queryTooBroad(advice) : error;
  }
};

/** A statement with those of the values that it uses, numbered again: PostgreSQL refuses others. */
export const parameterized = (text: string, values: readonly unknown[]): pg.QueryConfig => {
  const used: number[] = [];
  const renumbered = text.replace(/\$(\d+)/g, (_, digits: string) => {
    const number = Number(digits);
    if (!used.includes(number)) used.push(number);
    return `$${used.indexOf(number) + 1}`;
  });
  return { text: renumbered, values: used.map(number => values[number - 1]) };
};
