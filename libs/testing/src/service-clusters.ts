import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.js';
import { copyCluster } from './kept-clusters.js';
import type { ParentGuard } from './parent-guard.js';
import { type PostgresServer, spawnPostgres } from './postgres-server.js';

/** The services with a database. */
export const SERVICES_WITH_DATABASE = [
  'platform-management',
  'email-send',
  'delivery-tracking',
  'webhook-dispatch',
] as const;
export type ServiceWithDatabase = (typeof SERVICES_WITH_DATABASE)[number];

/** Options of `startServiceClusters`. */
export interface ServiceClustersOptions {
  /** The guard that ends the servers; one for each by default. */
  readonly guard?: ParentGuard;
  /** Settings of each server, such as `{ max_connections: '200' }`. */
  readonly settings?: Record<string, string>;
}

/** A durable PostgreSQL cluster for each service, on a port of the loopback interface. */
export type ServiceClusters = Readonly<Record<ServiceWithDatabase, PostgresServer>>;

const roleOf = (service: ServiceWithDatabase): string => `postern_${service.replaceAll('-', '_')}`;

/** Starts the clusters in a folder, and creates those that it does not contain. */
export async function startServiceClusters(
  folder: string,
  { guard, settings }: ServiceClustersOptions = {},
): Promise<ServiceClusters> {
  await mkdir(folder, { recursive: true });
  // Searchable by all, because the server of root runs as another user.
  await chmod(folder, 0o711);
  const start = async (service: ServiceWithDatabase) => {
    const server = await spawnPostgres({
      dataDir: join(folder, service),
      create: dataDir => copyCluster(dataDir),
      port: await freePort(),
      ...(guard && { guard }),
      settings: { shared_buffers: '64MB', ...settings },
    });
    await ensureDatabase(server, roleOf(service));
    return [service, server] as const;
  };
  return Object.fromEntries(await Promise.all(SERVICES_WITH_DATABASE.map(start))) as ServiceClusters;
}

/** The URL of the service's own database, with the role that owns it. */
export const serviceDatabaseUrl = (service: ServiceWithDatabase, server: PostgresServer): string => {
  const url = new URL(server.url(roleOf(service)));
  url.username = roleOf(service);
  return url.href;
};

const ensureDatabase = async (server: PostgresServer, role: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  try {
    if ((await client.query('SELECT FROM pg_database WHERE datname = $1', [role])).rowCount) return;
    await client.query(`CREATE ROLE ${role} LOGIN`);
    await client.query(`GRANT pg_read_all_settings TO ${role}`);
    await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
  } finally {
    await client.end();
  }
};
