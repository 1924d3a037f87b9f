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

/**
 * Gives each service a role that owns its database and nothing else. Transfers the ownership of databases of the
 * superuser, including all their objects. Idempotent.
 */
export const ensureDatabaseRoles = async (postgres: PostgresServer): Promise<void> => {
  await asSuperuser(postgres.url(), async admin => {
    for (const service of SERVICE_NAMES) await ensureRole(admin, roleOf(service));
    for (const database of ['postgres', 'template1']) await closeToOthers(admin, database);
  });
  for (const service of SERVICE_NAMES)
    await asSuperuser(postgres.url(roleOf(service)), admin => handOver(admin, roleOf(service)));
};

const asSuperuser = async (connectionString: string, work: (admin: pg.Client) => Promise<void>): Promise<void> => {
  const admin = new pg.Client({ connectionString, application_name: 'postern-roles' });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    await work(admin);
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

/** Objects of the superuser outside the system schemas; the sequence of a column follows its table. */
const FOREIGN_OBJECTS = `
  SELECT format('SCHEMA %I', nspname) AS object FROM pg_namespace
   WHERE nspowner = 'postgres'::regrole AND nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public')
  UNION ALL
  SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                ELSE 'TABLE' END, c.oid::regclass)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relowner = 'postgres'::regrole AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
     AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                        AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
  UNION ALL
  SELECT format('%s %s', CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, p.oid::regprocedure)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE p.proowner = 'postgres'::regrole AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  UNION ALL
  SELECT format('%s %s', CASE t.typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END, t.oid::regtype)
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE t.typowner = 'postgres'::regrole AND t.typtype IN ('e', 'd', 'r')
     AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

const handOver = async (admin: pg.Client, role: string): Promise<void> => {
  const { rows } = await admin.query<{ object: string }>(FOREIGN_OBJECTS);
  for (const { object } of rows) await admin.query(`ALTER ${object} OWNER TO ${pg.escapeIdentifier(role)}`);
};
