import pg from 'pg';
import { CONNECTION_LIMITS } from './database-limits.js';

const MISSING_DATABASE = '3D000';
/** These connections live for one statement; CREATE DATABASE copies a template. */
const LIMITS = { connectionTimeoutMillis: CONNECTION_LIMITS.connectMs, query_timeout: 60_000 };
const ALREADY_EXISTS = new Set(['42P04', '23505']);

/**
 * Creates the database of the URL if it does not exist; requires the CREATEDB privilege and the database `postgres`.
 */
export const createDatabaseIfMissing = async (databaseUrl: string): Promise<void> => {
  const probe = new pg.Client({ connectionString: databaseUrl, ...LIMITS });
  try {
    await probe.connect();
    return;
  } catch (error) {
    if (codeOf(error) !== MISSING_DATABASE) throw error;
  } finally {
    await probe.end().catch(() => {});
  }
  const adminUrl = new URL(databaseUrl);
  const name = decodeURIComponent(adminUrl.pathname.slice(1));
  adminUrl.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: adminUrl.href, ...LIMITS });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    // Another replica created it at the same time.
    if (!ALREADY_EXISTS.has(codeOf(error) ?? '')) throw error;
  } finally {
    await admin.end();
  }
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
