import type pg from 'pg';

/** A client or a pool. */
export type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;
