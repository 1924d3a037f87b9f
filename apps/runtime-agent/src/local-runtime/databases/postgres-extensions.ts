import type { DatabaseExtension } from '@postern/runtime';
import pg from 'pg';
import { POSTGRES_ADMIN } from './postgres-settings.js';

/**
 * Extensions that PostgreSQL lets only a superuser create, and that give no rights of a superuser to their users. None may require
 * an extension that an owner creates: its schema would be in the search path while the script runs as the administrator. Not
 * `postgis_raster`, whose users can read files of the server.
 */
const ALLOWED: ReadonlySet<string> = new Set(['bloom', 'postgis', 'vector']);

/** Their schema, in which owners cannot place functions that the script of an extension would call. */
const SCHEMA = 'extensions';

/** The packages of Debian, Ubuntu and apt.postgresql.org, by the major version of the server. */
const PACKAGES: Readonly<Record<string, (version: string) => string>> = {
  vector: version => `postgresql-${version}-pgvector`,
  postgis: version => `postgresql-${version}-postgis-3`,
};

interface Available extends DatabaseExtension {
  /** Whether PostgreSQL lets the owner of a database create it. */
  readonly trusted: boolean;
}

const AVAILABLE = `
  SELECT extension.name, extension.default_version AS version, extension.installed_version AS "installedVersion",
    extension.comment AS description, version.trusted
  FROM pg_available_extensions extension
  JOIN pg_available_extension_versions version
    ON version.name = extension.name AND version.version = extension.default_version
  ORDER BY extension.name`;

const isAllowed = ({ name, trusted, installedVersion }: Available): boolean =>
  trusted || ALLOWED.has(name) || installedVersion !== null;

const availableIn = async (client: pg.Client): Promise<readonly Available[]> =>
  (await client.query<Available>(AVAILABLE)).rows;

/** The extensions that the owner of a database has or can enable, by name. Runs in the database of the owner. */
export const listExtensions = async (client: pg.Client): Promise<readonly DatabaseExtension[]> =>
  (await availableIn(client)).filter(isAllowed).map(({ trusted: _, ...extension }) => extension);

/** Enables an extension, or returns why that is not possible. Runs in the database of the owner, which has the name of the owner. */
export const enableExtension = async (
  client: pg.Client,
  owner: string,
  name: string,
  majorVersion: string,
): Promise<string | undefined> => {
  const found = (await availableIn(client)).find(extension => extension.name === name);
  if (!found) return absent(name, majorVersion);
  if (!isAllowed(found)) return `the extension ${name} needs a superuser, which the owner of a database is not`;
  if (found.installedVersion !== null) return undefined;
  try {
    await (found.trusted ? createAsOwner(client, owner, name) : createAsAdministrator(client, owner, name));
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return `PostgreSQL could not create the extension ${name}: ${error.message}`;
    throw error;
  }
};

const absent = (name: string, majorVersion: string): string => {
  const packageName = PACKAGES[name]?.(majorVersion);
  return packageName
    ? `the extension ${name} is not installed on the machine of the platform; its operator can install the package ${packageName}`
    : `there is no extension ${name} on the machine of the platform`;
};

/** The owner can change and drop it with SQL. */
const createAsOwner = async (client: pg.Client, owner: string, name: string): Promise<void> => {
  await client.query(`SET ROLE ${pg.escapeIdentifier(owner)}`);
  await client.query('SET search_path = public');
  await client.query(`CREATE EXTENSION ${pg.escapeIdentifier(name)} CASCADE`);
};

const createAsAdministrator = async (client: pg.Client, owner: string, name: string): Promise<void> => {
  await client.query('BEGIN');
  const { rows } = await client.query<{ owner: string }>(
    'SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = $1',
    [SCHEMA],
  );
  // Fails if a schema of the owner has appeared in between.
  if (rows[0]?.owner !== POSTGRES_ADMIN) await client.query(`CREATE SCHEMA ${SCHEMA}`);
  await client.query(`GRANT USAGE ON SCHEMA ${SCHEMA} TO PUBLIC`);
  await client.query(`CREATE EXTENSION ${pg.escapeIdentifier(name)} SCHEMA ${SCHEMA}`);
  await addToSearchPath(client, owner);
  await client.query('COMMIT');
};

const SEARCH_PATH = `
  SELECT substr(setting, length('search_path=') + 1) AS path
  FROM pg_db_role_setting, unnest(setconfig) AS setting
  WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND setrole = 0
    AND setting LIKE 'search\\_path=%'`;

/** Appends the schema to the search path of new connections. The path of the owner is never part of a statement. */
const addToSearchPath = async (client: pg.Client, owner: string): Promise<void> => {
  const { rows } = await client.query<{ path: string }>(SEARCH_PATH);
  const path = rows[0]?.path ?? '"$user", public';
  if (path.split(',').some(schema => schema.trim() === SCHEMA)) return;
  await client.query("SELECT set_config('search_path', $1, true)", [`${path}, ${SCHEMA}`]);
  await client.query(`ALTER DATABASE ${pg.escapeIdentifier(owner)} SET search_path FROM CURRENT`);
};
