import type pg from 'pg';

/** Without a listener a broken connection would end the process; the next query reports it. */
const ignore = (): void => undefined;

/**
 * Sends several queries in one packet, without waiting for replies in between. `send` starts all of them
 * synchronously.
 * @throws the first error in their order, after all have completed; within a transaction, later queries had no
 * effect.
 */
export const pipelined = async <Answers extends readonly unknown[]>(
  client: pg.ClientBase,
  send: () => { readonly [Place in keyof Answers]: Promise<Answers[Place]> },
): Promise<Answers> => {
  // The option applies to the connection while these queries run; no other code uses the client in the meantime.
  const connection: { pipeline: boolean } = client as pg.Client;
  const before = connection.pipeline;
  const { stream } = (client as pg.Client).connection;
  connection.pipeline = true;
  stream.cork();
  let queries: readonly Promise<unknown>[];
  try {
    queries = send();
  } finally {
    stream.uncork();
  }
  const answers = await Promise.allSettled(queries);
  connection.pipeline = before;
  const failure = answers.find(answer => answer.status === 'rejected');
  if (failure) throw failure.reason;
  return answers.map(answer => (answer as PromiseFulfilledResult<unknown>).value) as unknown as Answers;
};

/** Runs `work` in one transaction. A connection that breaks is removed from the pool. */
export const inTransaction = <Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> => transaction(pool, client => client.query('BEGIN'), work);

/**
 * Runs a transaction whose first queries are sent in one packet with BEGIN. Apart from locks they must change
 * nothing, because a failed BEGIN would not undo it.
 */
export const inPipelinedTransaction = <Answers extends readonly unknown[], Result>(
  pool: pg.Pool,
  firstQueries: (client: pg.PoolClient) => { readonly [Place in keyof Answers]: Promise<Answers[Place]> },
  work: (client: pg.PoolClient, answers: Answers) => Promise<Result>,
): Promise<Result> =>
  transaction(
    pool,
    async client => {
      const [, ...answers] = await pipelined<[unknown, ...Answers]>(
        client,
        () => [client.query('BEGIN'), ...firstQueries(client)] as never,
      );
      return answers as unknown as Answers;
    },
    work,
  );

const transaction = async <Prepared, Result>(
  pool: pg.Pool,
  prepare: (client: pg.PoolClient) => Promise<Prepared>,
  work: (client: pg.PoolClient, prepared: Prepared) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    const result = await work(client, await prepare(client));
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
