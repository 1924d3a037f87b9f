import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migrateEventStore, PostgresEventStore } from '../postgres/index.js';
import type { Upcasters } from '../upcasting.js';

/** Real databases for this library's own specs, and all that a spec opens on them, closed at the end. */
export class EventStoreDatabases {
  private readonly pools: pg.Pool[] = [];
  private readonly closing: (() => Promise<unknown>)[] = [];

  private constructor(private readonly postgres: TestPostgres) {}

  static async start(): Promise<EventStoreDatabases> {
    return new EventStoreDatabases(await startPostgres({ durable: false }));
  }

  /** The connection string of a new database, with the event store's tables and what `sql` adds. */
  async create(sql = 'SELECT 1'): Promise<string> {
    const url = await this.postgres.createDatabase();
    const pool = this.pool(url);
    await migrateEventStore(pool);
    await pool.query(sql);
    return url;
  }

  /** An empty database. */
  createEmpty(): Promise<string> {
    return this.postgres.createDatabase();
  }

  /** Connections of one process; `name` is what the server calls them. */
  pool(url: string, name = 'spec', max = 10): pg.Pool {
    const pool = new pg.Pool({ connectionString: url, application_name: name, max });
    pool.on('error', () => undefined);
    this.pools.push(pool);
    return pool;
  }

  /** The store of one process. */
  store(url: string, name?: string, upcasters?: Upcasters): PostgresEventStore {
    return new PostgresEventStore(this.pool(url, name), upcasters);
  }

  /** Cuts all connections of one process, as its death would. */
  async cut(url: string, name: string): Promise<void> {
    await this.pool(url, 'cutter', 1).query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [name],
    );
  }

  /** Has something that runs stopped before the databases go. */
  stopAtTheEnd<Running extends { stop(): Promise<unknown> }>(running: Running): Running {
    this.closing.push(() => running.stop());
    return running;
  }

  async stop(): Promise<void> {
    await Promise.all(this.closing.map(close => close()));
    await Promise.all(this.pools.map(pool => pool.end()));
    await this.postgres.stop();
  }
}
