import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import type pg from 'pg';
import { createDatabaseIfMissing } from './create-database.js';
import { boundedPool, CONNECTION_LIMITS, requireSessionLimits, type SessionLimits } from './database-limits.js';
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
const TRY_AGAIN_MS = 500;
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_WITHIN_MS = 5_000;
/** Takes no snapshot, unlike a query. */
const HEARTBEAT = 'SHOW server_version';

/**
 * Migrates a database, and creates it if it does not exist. Replicas that start together wait for each other. Uses
 * `_prisma_migrations` like `prisma migrate deploy`.
 * @returns the names of the applied migrations.
 * @throws if an applied migration was edited or a migration failed.
 */
export const applyMigrations = async (options: MigrationOptions): Promise<readonly string[]> => {
  await createDatabaseIfMissing(options.databaseUrl);
  const pool = boundedPool(options.databaseUrl, 4, MIGRATION_LIMITS);
  pool.on('error', () => {});
  try {
    await requireSessionLimits(pool, MIGRATION_LIMITS);
    return await whileLocked(pool, async () => {
      const applied = await applyPending(pool, options);
      await options.afterwards?.(pool);
      return applied;
    });
  } finally {
    await pool.end();
  }
};

/** Only the transaction that holds the lock may idle; a transaction also keeps its session behind a pooler. */
const MIGRATION_LIMITS: SessionLimits = {
  applicationName: 'postern-migrations',
  statementTimeoutMs: CONNECTION_LIMITS.migrationStatementMs,
  idleInTransactionTimeoutMs: 3 * HEARTBEAT_MS,
};

/** Runs the work under the lock of a transaction, which PostgreSQL ends when this process is silent. */
const whileLocked = async <Result>(pool: pg.Pool, work: () => Promise<Result>): Promise<Result> => {
  const lock = await pool.connect();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  lock.on('error', reject);
  let heartbeat: NodeJS.Timeout | undefined;
  const beat = () => {
    const timer = setTimeout(
      () => reject(new Error('Connection terminated: lost the lock of the migrations')),
      HEARTBEAT_WITHIN_MS,
    );
    lock.query(HEARTBEAT).then(() => clearTimeout(timer), reject);
  };
  try {
    await lock.query('BEGIN');
    while (!(await tryLock(lock))) await pause(TRY_AGAIN_MS);
    heartbeat = setInterval(beat, HEARTBEAT_MS);
    return await Promise.race([work(), lost]);
  } finally {
    clearInterval(heartbeat);
    lock.off('error', reject);
    // Closing the session releases the lock in any case.
    lock.release(true);
  }
};

const tryLock = async (client: pg.PoolClient): Promise<boolean> => {
  // A statement with parameters would keep its snapshot, which an index that is built beside writes waits for.
  const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`);
  return rows[0]?.locked ?? false;
};

const applyPending = async (pool: pg.Pool, { directory }: MigrationOptions): Promise<readonly string[]> => {
  const migrations = await listMigrations(directory instanceof URL ? fileURLToPath(directory) : directory);
  const applied = await appliedMigrations(pool);
  refuseOtherHistory(migrations, applied);
  if (migrations.migrationDirectories.every(migration => isApplied(migration, applied))) return [];
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

/** The applied migrations by their names. */
const appliedMigrations = async (pool: pg.Pool): Promise<ReadonlyMap<string, Applied>> => {
  const table = await pool.query<{ present: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  if (!table.rows[0]?.present) return new Map();
  const { rows } = await pool.query<Applied>(SELECT_APPLIED_MIGRATIONS);
  return new Map(rows.map(row => [row.migration_name, row]));
};

/** The migrations of 0.2.0 begin with its whole schema, so they cannot continue those of development versions. */
const refuseOtherHistory = ({ migrationDirectories }: MigrationList, applied: ReadonlyMap<string, Applied>): void => {
  const [first] = migrationDirectories;
  if (!first || applied.size === 0 || applied.has(first.path)) return;
  throw new Error(
    'This database was written by a version of Postern from before 0.2.0, which no release can upgrade. ' +
      'Configure an empty database, or delete this one to start over.',
  );
};

/** At the usual start all are, which is detected without loading the engine. */
const isApplied = (
  { path, migrationFile: { content } }: MigrationList['migrationDirectories'][number],
  applied: ReadonlyMap<string, Applied>,
): boolean => {
  const row = applied.get(path);
  return row?.done === true && content.tag === 'ok' && row.checksum === sha256(content.value);
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
