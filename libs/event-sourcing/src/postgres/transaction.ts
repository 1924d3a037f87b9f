import type pg from 'pg';

/** A client outside the pool has nobody else to hear that its connection broke; the next query tells it anyway. */
const ignore = (): void => undefined;

/**
 * Sends queries in one packet, none waiting for the answer to the one before: one awakening of the server's process
 * and of ours for all of them. `send` makes the queries in one go, without waiting between them.
 * @throws the first error in their order, once all are answered; in a transaction those behind it had no effect.
 */
export const together = async <Answers extends readonly unknown[]>(
  client: pg.ClientBase,
  send: () => { readonly [Place in keyof Answers]: Promise<Answers[Place]> },
): Promise<Answers> => {
  // The option of a connection, for as long as these queries are under way: nobody else has the client meanwhile.
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

/** Runs `work` in one transaction, survives the loss of the connection, and gives a broken one up instead of back. */
export const inTransaction = <Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> => transaction(pool, client => client.query('BEGIN'), work);

/**
 * The same for a transaction that begins with questions: they go to the server along with its BEGIN. They must change
 * nothing, locks apart, for nothing would undo it if that BEGIN alone failed.
 */
export const inTransactionAsking = <Answers extends readonly unknown[], Result>(
  pool: pg.Pool,
  ask: (client: pg.PoolClient) => { readonly [Place in keyof Answers]: Promise<Answers[Place]> },
  work: (client: pg.PoolClient, answers: Answers) => Promise<Result>,
): Promise<Result> =>
  transaction(
    pool,
    async client => {
      const [, ...answers] = await together<[unknown, ...Answers]>(
        client,
        () => [client.query('BEGIN'), ...ask(client)] as never,
      );
      return answers as unknown as Answers;
    },
    work,
  );

const transaction = async <Begun, Result>(
  pool: pg.Pool,
  begin: (client: pg.PoolClient) => Promise<Begun>,
  work: (client: pg.PoolClient, begun: Begun) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    const result = await work(client, await begin(client));
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
