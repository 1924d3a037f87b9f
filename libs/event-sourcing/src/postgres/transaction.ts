import type pg from 'pg';

/** A client outside the pool has nobody else to hear that its connection broke; the next query tells it anyway. */
const ignore = (): void => undefined;

/** Runs `work` in one transaction, survives the loss of the connection, and gives a broken one up instead of back. */
export const inTransaction = async <Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollback: Error) => {
      broken = rollback;
    });
    throw error;
  } finally {
    client.release(broken);
    client.off('error', ignore);
  }
};
