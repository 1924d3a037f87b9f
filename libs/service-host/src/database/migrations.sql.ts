/** Migrations that were applied and not rolled back, as recorded by `prisma migrate deploy`. */
export const SELECT_APPLIED_MIGRATIONS = `SELECT migration_name, checksum, finished_at IS NOT NULL AS done
  FROM _prisma_migrations WHERE rolled_back_at IS NULL`;
