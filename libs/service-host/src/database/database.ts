import { claimedPool, queryWithin } from '@postern/event-sourcing/postgres';
import type { Log } from '@postern/messaging';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { Secret } from '../config/secret.js';
import { boundedPool, type SessionLimits } from './database-limits.js';
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
    const limits: SessionLimits = {
      applicationName,
      statementTimeoutMs: config.databaseStatementTimeoutMs,
      idleInTransactionTimeoutMs: config.databaseIdleInTransactionTimeoutMs,
    };
    const databaseUrl = config.databaseUrl.reveal();
    this.pool = claimedPool(boundedPool(databaseUrl, config.databasePoolSize, limits));
    this.reads = new PipelinedReads(databaseUrl, limits, log);
    // Without a listener, the error of an idle connection that the server closes would end the process.
    this.pool.on('error', error => log.warn({ err: error }, 'PostgreSQL closed an idle connection'));
  }

  /** For `new PrismaClient({ adapter })`; the client shares the pool and must not close it. */
  prismaAdapter(): PrismaPg {
    return new PrismaPg(this.pool);
  }

  /** Rejects if the database does not reply in time. */
  async ping(timeoutMs: number): Promise<void> {
    await queryWithin(this.pool, timeoutMs, { text: 'SELECT 1' });
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.reads.close()]);
  }
}
