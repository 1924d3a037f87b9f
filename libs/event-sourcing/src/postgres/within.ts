import type pg from 'pg';

/** PostgreSQL did not answer in time; the connection is closed. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';

  constructor(limitMs: number) {
    // The message is that of pg for the same condition, which callers recognise as temporary.
    super(`Query read timeout: PostgreSQL did not answer within ${limitMs} ms`);
  }
}

/** Executes one statement, the wait for a connection included. A connection that does not answer in time is closed. */
export const queryWithin = async <Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  limitMs: number,
  query: pg.QueryConfig,
): Promise<pg.QueryResult<Row>> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let isLate = false;
  let client: pg.PoolClient | undefined;
  const timer = setTimeout(() => {
    isLate = true;
    const error = new NoAnswerInTime(limitMs);
    client?.release(error);
    reject(error);
  }, limitMs);
  const work = async (): Promise<pg.QueryResult<Row>> => {
    const connected = await pool.connect();
    if (isLate) {
      connected.release();
      return late;
    }
    client = connected;
    let failure: Error | undefined;
    try {
      return await connected.query<Row>(query);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      if (!isLate) connected.release(failure);
    }
  };
  const answer = work();
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
};
