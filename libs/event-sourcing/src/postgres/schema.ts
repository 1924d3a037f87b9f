import type pg from 'pg';
import { MIGRATIONS } from './migrations.js';
import { INSERT_APPLIED_MIGRATION, SELECT_APPLIED_MIGRATION, SELECT_FOREIGN_POSITION } from './schema.sql.js';
import { inTransaction } from './transaction.js';

/** Serialises the migrations of replicas that start together; an arbitrary number. */
const MIGRATION_LOCK = 7_405_113_001;

/**
 * Migrates the tables of this library. Any number of replicas may call it at once.
 * @throws when the events come from a cluster with a higher transaction counter, as after restoring a logical dump:
 * the feed would hide them.
 */
export const migrateEventStore = async (pool: pg.Pool): Promise<void> => {
  await inTransaction(pool, async client => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query('CREATE SCHEMA IF NOT EXISTS event_store');
    await client.query(
      'CREATE TABLE IF NOT EXISTS event_store.migrations (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ applied: number }>(SELECT_APPLIED_MIGRATION);
    for (let number = (rows[0]?.applied ?? 0) + 1; number <= MIGRATIONS.length; number++) {
      await client.query(MIGRATIONS[number - 1] as string);
      await client.query(INSERT_APPLIED_MIGRATION, [number]);
    }
    await refuseForeignPositions(client);
  });
};

const refuseForeignPositions = async (client: pg.ClientBase): Promise<void> => {
  const { rows } = await client.query<{ txid: string }>(SELECT_FOREIGN_POSITION);
  if (rows[0])
    throw new Error(
      `the event store holds transaction ${rows[0].txid}, which this PostgreSQL cluster has not reached: it was restored ` +
        'from a logical dump. Restore a physical backup, or raise the counter with pg_resetwal first',
    );
};
