import { SERVICE_NAMES } from '@postern/contracts';
import type { PostgresServer } from '@postern/testing';
import pg from 'pg';

type Service = (typeof SERVICE_NAMES)[number];

/** The role of a service, which is also the name of the database that it owns. */
export const roleOf = (service: Service): string => `postern_${service.replaceAll('-', '_')}`;

/** The URL of a service's own database; its role cannot connect to any other. */
export const databaseUrlOf = (postgres: PostgresServer, service: Service): string => {
  const url = new URL(postgres.url(roleOf(service)));
  url.username = roleOf(service);
  return url.href;
};

/** Gives each service a role that owns its database and nothing else. Idempotent. */
export const ensureDatabaseRoles = async (postgres: PostgresServer): Promise<void> => {
  const admin = new pg.Client({ connectionString: postgres.url(), application_name: 'postern-roles' });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    for (const service of SERVICE_NAMES) await ensureRole(admin, roleOf(service));
    for (const database of ['postgres', 'template1']) await closeToOthers(admin, database);
  } finally {
    await admin.end();
  }
};

const ensureRole = async (admin: pg.Client, role: string): Promise<void> => {
  const name = pg.escapeIdentifier(role);
  const has = async (query: string) => ((await admin.query(query, [role])).rowCount ?? 0) > 0;
  if (!(await has('SELECT FROM pg_roles WHERE rolname = $1'))) await admin.query(`CREATE ROLE ${name}`);
  // The kernel identifies the clients of the Unix socket; a password is not needed.
  await admin.query(`ALTER ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD NULL`);
  // For `postern doctor`, which reports the disk usage of PostgreSQL.
  await admin.query(`GRANT pg_read_all_settings TO ${name}`);
  if (await has('SELECT FROM pg_database WHERE datname = $1'))
    await admin.query(`ALTER DATABASE ${name} OWNER TO ${name}`);
  else await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  await closeToOthers(admin, role);
};

const closeToOthers = async (admin: pg.Client, database: string): Promise<void> => {
  await admin.query(`REVOKE ALL ON DATABASE ${pg.escapeIdentifier(database)} FROM PUBLIC`);
};
