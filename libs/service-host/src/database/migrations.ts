import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { createDatabaseIfMissing } from './create-database.js';
import { SELECT_APPLIED_MIGRATIONS } from './migrations.sql.js';
import { listMigrations, NO_FILTER, openSchemaEngine } from './schema-engine.js';
import { ScriptAdapter } from './script-adapter.js';

export interface MigrationOptions {
  readonly databaseUrl: string;
  /** `prisma/<service>/migrations`, which contains `NNNN_name/migration.sql`. */
  readonly directory: URL | string;
  /** Runs after the migrations under the same lock; for `migrateEventStore`. */
  readonly afterwards?: ((pool: pg.Pool) => Promise<unknown>) | undefined;
}

/** An arbitrary number that no other advisory lock of the database uses. */
const LOCK = 7_203_910_446_118n;

/**
 * Migrates a database, and creates it if it does not exist. Replicas that start together wait for each other. Uses
 * `_prisma_migrations` like `prisma migrate deploy`.
 * @returns the names of the applied migrations.
 * @throws if an applied migration was edited or a migration failed.
 */
export const applyMigrations = async (options: MigrationOptions): Promise<readonly string[]> => {
  await createDatabaseIfMissing(options.databaseUrl);
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 4, application_name: 'postern-migrations' });
  pool.on('error', () => {});
  try {
    const lock = await pool.connect();
    try {
      await lock.query('SELECT pg_advisory_lock($1)', [LOCK.toString()]);
      const applied = await applyPending(pool, options);
      await options.afterwards?.(pool);
      await lock.query('SELECT pg_advisory_unlock($1)', [LOCK.toString()]);
      return applied;
    } finally {
      // Closing the session releases the lock in any case.
      lock.release(true);
    }
  } finally {
    await pool.end();
  }
};

const applyPending = async (pool: pg.Pool, { directory }: MigrationOptions): Promise<readonly string[]> => {
  const migrations = await listMigrations(directory instanceof URL ? fileURLToPath(directory) : directory);
  if (migrations.migrationDirectories.length === 0 || (await isUpToDate(pool, migrations))) return [];
  const engine = await openSchemaEngine(new ScriptAdapter(pool));
  try {
    const { editedMigrationNames } = await engine.diagnoseMigrationHistory({
      migrationsList: migrations,
      optInToShadowDatabase: false,
      filters: NO_FILTER,
    });
    if (editedMigrationNames.length > 0) {
      throw new Error(`Applied migrations were edited afterwards: ${editedMigrationNames.join(', ')}`);
    }
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList: migrations, filters: NO_FILTER });
    return appliedMigrationNames;
  } finally {
    engine.free();
  }
};

interface Applied {
  readonly migration_name: string;
  readonly checksum: string;
  readonly done: boolean;
}

/** The usual start: nothing to apply, detected without loading the engine. */
const isUpToDate = async (pool: pg.Pool, { migrationDirectories }: MigrationList): Promise<boolean> => {
  const table = await pool.query<{ present: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  if (!table.rows[0]?.present) return false;
  const { rows } = await pool.query<Applied>(SELECT_APPLIED_MIGRATIONS);
  const applied = new Map(rows.map(row => [row.migration_name, row]));
  return migrationDirectories.every(({ path, migrationFile: { content } }) => {
    const row = applied.get(path);
    return row?.done && content.tag === 'ok' && row.checksum === sha256(content.value);
  });
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
