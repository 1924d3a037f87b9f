import { claimedPool } from '@postern/event-sourcing/postgres';
import type { Log } from '@postern/messaging';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { Secret } from '../config/secret.js';
import { PipelinedReads } from './pipelined-reads.js';

export interface DatabaseConfig {
  readonly databaseUrl: Secret;
  readonly databasePoolSize: number;
  readonly databaseStatementTimeoutMs: number;
  readonly databaseIdleInTransactionTimeoutMs: number;
}

/** The database of the service: one pool for SQL and Prisma; also the injection token. */
export class Database {
  readonly pool: pg.Pool;
  /** For short read-only queries that the API executes often. */
  readonly reads: PipelinedReads;

  constructor(config: DatabaseConfig, applicationName: string, log: Log) {
    const connection: pg.ClientConfig = {
      connectionString: config.databaseUrl.reveal(),
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      statement_timeout: config.databaseStatementTimeoutMs,
      idle_in_transaction_session_timeout: config.databaseIdleInTransactionTimeoutMs,
      keepAlive: true,
    };
    this.pool = claimedPool({ ...connection, max: config.databasePoolSize });
    this.reads = new PipelinedReads(connection, log);
    // Without a listener, the error of an idle connection that the server closes would end the process.
    this.pool.on('error', error => log.warn({ err: error }, 'PostgreSQL closed an idle connection'));
    // Also for connections in use: the pool listens only while they are idle, and their queries report the error.
    this.pool.on('connect', client => client.on('error', () => undefined));
  }

  /** For `new PrismaClient({ adapter })`; the client shares the pool and must not close it. */
  prismaAdapter(): PrismaPg {
    return new PrismaPg(this.pool);
  }

  /** Rejects if the database does not reply in time. */
  async ping(timeoutMs: number): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no reply within ${timeoutMs} ms`)), timeoutMs);
    const answer = this.pool.query('SELECT 1');
    // The query may still reject after the timeout.
    answer.catch(() => {});
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.reads.close()]);
  }
}
