import type { Log } from '@postern/messaging';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Secret } from '../config/secret.js';
import { PipelinedReads } from './pipelined-reads.js';

export interface DatabaseConfig {
  readonly databaseUrl: Secret;
  readonly databasePoolSize: number;
  readonly databaseStatementTimeoutMs: number;
  readonly databaseIdleInTransactionTimeoutMs: number;
}

/** The service's own database: one pool for plain SQL and for Prisma; also the injection token. */
export class Database {
  readonly pool: pg.Pool;
  /** For what the API reads over and over: short queries that change nothing. */
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
    this.pool = new pg.Pool({ ...connection, max: config.databasePoolSize });
    this.reads = new PipelinedReads(connection, log);
    // Without a listener a server that ends an idle connection would end the process.
    this.pool.on('error', error => log.warn({ err: error }, 'PostgreSQL ended an idle connection'));
    // The same for one in use: its query is told by itself, and the pool listens only while it is idle.
    this.pool.on('connect', client => client.on('error', () => undefined));
  }

  /** For `new PrismaClient({ adapter })`; the client shares the pool and must not be the one to end it. */
  prismaAdapter(): PrismaPg {
    return new PrismaPg(this.pool);
  }

  /** Rejects when the database does not answer within the time. */
  async ping(timeoutMs: number): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const answer = this.pool.query('SELECT 1');
    // Whichever loses the race may still reject, with nobody left to hear it.
    answer.catch(() => {});
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.reads.close()]);
  }
}
