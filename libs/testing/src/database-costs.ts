import pg from 'pg';
import { waitFor } from './wait-for.js';

/** What work has cost a database. */
export interface DatabaseCosts {
  /** Calls of `pool.query`. */
  readonly statements: number;
  /** Rows, in the order of their tables. */
  readonly inserted: Readonly<Record<string, number>>;
  readonly updated: Readonly<Record<string, number>>;
  readonly deleted: Readonly<Record<string, number>>;
  /** Of the whole server, so it must serve nothing else. */
  readonly walBytes: number;
  /** Growth of the tables that got rows, with their indexes. */
  readonly bytes: number;
}

interface TableRow {
  readonly name: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly bytes: number;
}

const TABLES = `
  SELECT relname AS name, n_tup_ins::int AS inserted, n_tup_upd::int AS updated, n_tup_del::int AS deleted,
    pg_total_relation_size(relid)::int AS bytes
  FROM pg_stat_user_tables ORDER BY relname`;

const LSN = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes";

/**
 * Measures what `work` costs. `pool` executes the work and is ended by it: PostgreSQL counts the rows of a session at its
 * end at the latest.
 */
export const databaseCosts = async (
  connectionString: string,
  pool: pg.Pool,
  work: () => Promise<unknown>,
): Promise<DatabaseCosts> => {
  const observer = new pg.Client({ connectionString });
  await observer.connect();
  try {
    const read = async () => ({
      tables: (await observer.query<TableRow>(TABLES)).rows,
      wal: (await observer.query<{ bytes: number }>(LSN)).rows[0]?.bytes ?? 0,
    });
    let statements = 0;
    const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
    Object.assign(pool, {
      query: (...given: unknown[]) => {
        statements += 1;
        return query(...given);
      },
    });
    const before = await read();
    await work();
    const executed = statements;
    const { wal } = await read();
    await waitFor(
      async () =>
        (
          await observer.query(
            'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = $1',
            ['client backend'],
          )
        ).rowCount === 0,
      { describe: 'the sessions of the work to end' },
    );
    await observer.query('SELECT pg_stat_clear_snapshot()');
    const { tables } = await read();
    const changes = (of: 'inserted' | 'updated' | 'deleted' | 'bytes') =>
      Object.fromEntries(
        tables.flatMap(table => {
          const change = table[of] - (before.tables.find(({ name }) => name === table.name)?.[of] ?? 0);
          return change > 0 ? [[table.name, change]] : [];
        }),
      );
    return {
      statements: executed,
      inserted: changes('inserted'),
      updated: changes('updated'),
      deleted: changes('deleted'),
      walBytes: wal - before.wal,
      bytes: Object.values(changes('bytes')).reduce((sum, bytes) => sum + bytes, 0),
    };
  } finally {
    await observer.end();
  }
};
