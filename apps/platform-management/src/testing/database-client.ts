import pg from 'pg';
import type { CreatedDatabase } from './databases-fixture.js';

type Reachable = Pick<CreatedDatabase, 'connection_url'>;

/** Does work as a client of a database, with the credentials of its connection URL. */
export const connected = async <Result>(
  { connection_url }: Reachable,
  work: (client: pg.Client) => Promise<Result>,
  overrides: pg.ClientConfig = {},
): Promise<Result> => {
  const client = new pg.Client({ connectionString: connection_url, ...overrides });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
};

/** The rows of a statement. */
export const queried = <Row extends pg.QueryResultRow>(database: Reachable, text: string): Promise<Row[]> =>
  connected(database, async client => (await client.query<Row>(text)).rows);

/** The ids in the table `orders`. */
export const ordersOf = async (database: Reachable): Promise<number[]> =>
  (await queried<{ id: number }>(database, 'SELECT id FROM orders ORDER BY id')).map(({ id }) => id);
