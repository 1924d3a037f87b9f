import type { Log } from '@postern/messaging';
import pg from 'pg';
import { boundedConnection, CONNECTION_LIMITS, type SessionLimits } from './database-limits.js';

/** A connection and the number of its pending queries. */
interface ReadConnection {
  client: Promise<pg.Client> | undefined;
  pending: number;
}

const CONNECTIONS = 2;

/**
 * Short read-only queries, many at a time on two connections: queries of one event loop turn are sent in one packet,
 * and one server process executes them. A long query would delay later ones; it must use the pool.
 */
export class PipelinedReads {
  readonly #connections: ReadConnection[] = Array.from({ length: CONNECTIONS }, () => ({
    client: undefined,
    pending: 0,
  }));
  readonly #corked = new Set<pg.Client>();
  #closed = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly limits: SessionLimits,
    private readonly log: Log,
  ) {}

  /** Rejects like `pg.Pool`; the next query after a lost connection opens a new one. */
  async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const connection = this.#connections.reduce((idlest, other) => (other.pending < idlest.pending ? other : idlest));
    connection.pending += 1;
    try {
      connection.client ??= this.#connect(connection);
      const client = await connection.client;
      this.#gather(client);
      return await client.query<Row>(query);
    } finally {
      connection.pending -= 1;
    }
  }

  /** Waits for pending queries to complete. */
  async close(): Promise<void> {
    this.#closed = true;
    const clients = this.#connections.map(({ client }) => client?.catch(() => undefined));
    await Promise.all(clients.map(async client => (await client)?.end()));
  }

  async #connect(connection: ReadConnection): Promise<pg.Client> {
    if (this.#closed) throw new Error('the database has been closed');
    const { databaseUrl, limits } = this;
    const settings = { default_transaction_read_only: 'on' };
    const client = new pg.Client({
      ...boundedConnection(databaseUrl, { ...limits, settings }),
      pipeline: true,
      // Of a pipelined connection, pg closes the whole when one query has no answer in time.
      query_timeout: limits.statementTimeoutMs + CONNECTION_LIMITS.silenceMarginMs,
    });
    let current = true;
    const forget = () => {
      if (current) connection.client = undefined;
      current = false;
    };
    client.on('error', err => {
      this.log.warn({ err }, 'PostgreSQL closed a connection for reads');
      forget();
    });
    client.on('end', forget);
    try {
      await client.connect();
      return client;
    } catch (error) {
      forget();
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Buffers writes until the end of this event loop turn. */
  #gather(client: pg.Client): void {
    if (this.#corked.has(client)) return;
    const { stream } = client.connection;
    this.#corked.add(client);
    stream.cork();
    setImmediate(() => {
      this.#corked.delete(client);
      stream.uncork();
    });
  }
}
