import type { DatabaseLimits } from '@postern/runtime';
import { BLOCK_BITS, blockText, parseBlock } from '../sandbox/network/address-block.js';
import type { DatabaseRecord } from './database-folder.js';
import type { ServerSandbox } from './server-sandbox.js';
import { archivingSettings } from './wal-settings.js';

/** The administrator of every cluster. It has no password: only the platform's user can be it, over the Unix socket. */
export const POSTGRES_ADMIN = 'postgres';

/** Connections that only the platform can use, in addition to those of the plan. */
const RESERVED_CONNECTIONS = 3;
/** Connections that have not authenticated yet: they must not take those of the plan. */
const UNAUTHENTICATED_CONNECTIONS = 64;
const AUTHENTICATION_SECONDS = 5;
const MIB = 1024 ** 2;

/**
 * The platform's user is the administrator without a password, and nobody is it over TCP. All others need a password. From outside of the
 * platform only the owner connects, with TLS, and from the networks of the record.
 */
export const hostBasedAccess = (
  { address, allowedCidrs = [] }: Pick<DatabaseRecord, 'address' | 'allowedCidrs'>,
  owner: string,
): string =>
  [
    `local all ${POSTGRES_ADMIN} peer map=platform`,
    `local replication ${POSTGRES_ADMIN} peer map=platform`,
    'local all all reject',
    `host all ${POSTGRES_ADMIN} all reject`,
    `host all all ${address === undefined ? 'all' : insideOf(address)} scram-sha-256`,
    ...allowedCidrs.map(network => `hostssl ${quoted(owner)} ${quoted(owner)} ${network} scram-sha-256`),
    '',
  ].join('\n');

/** The addresses of the sandboxes and of the platform, for a database with an address of its own. */
export const insideOf = (address: string): string => blockText(parseBlock(`${address}/${BLOCK_BITS}`));

/** Which user of the machine is the administrator. */
export const identities = (platformUser: string): string => `platform ${quoted(platformUser)} ${POSTGRES_ADMIN}\n`;

/** Keywords such as `all` have no special meaning in quotes. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** In the name of the Unix socket of a server that does not listen for clients. */
export const UNUSED_PORT = 5432;

/** Where the server listens for clients; undefined if only the platform connects to it. */
export interface Listening {
  readonly host: string;
  readonly port: number;
}

/** The size of the write-ahead log, above which the server writes a checkpoint. */
export const walBytesOf = ({ storageBytes }: Pick<DatabaseLimits, 'storageBytes'>): number =>
  Math.min(1024, Math.max(64, Math.floor(storageBytes / MIB / 16))) * MIB;

/** Passed on the command line, where the server's own files cannot override them. */
export const settingsFor = (
  databaseId: string,
  { memoryBytes, storageBytes, connections, cpuMillicores }: DatabaseLimits,
  sandbox: ServerSandbox,
  listening: Listening | undefined,
  /** Names the history of the data: it changes when they are replaced. */
  history: string,
): Readonly<Record<string, string>> => {
  const memoryMib = memoryBytes / MIB;
  const workers = Math.max(1, Math.floor(cpuMillicores / 1000));
  return {
    // The platform compares it with the id of the database before it changes anything.
    cluster_name: databaseId,
    hba_file: `${sandbox.configuration}/pg_hba.conf`,
    ident_file: `${sandbox.configuration}/pg_ident.conf`,
    listen_addresses: listening?.host ?? '',
    port: String(listening?.port ?? UNUSED_PORT),
    // Offered, not required: `pg_hba.conf` admits both.
    ...(listening && {
      ssl: 'on',
      ssl_cert_file: `${sandbox.configuration}/server.crt`,
      ssl_key_file: `${sandbox.configuration}/server.key`,
    }),
    ...(listening && archivingSettings(sandbox.configuration, history)),
    unix_socket_directories: sandbox.sockets,
    unix_socket_permissions: '0700',
    authentication_timeout: `${AUTHENTICATION_SECONDS}s`,
    max_connections: String(connections + RESERVED_CONNECTIONS + UNAUTHENTICATED_CONNECTIONS),
    superuser_reserved_connections: String(RESERVED_CONNECTIONS),
    // Its own IPC namespace; /dev/shm of a sandbox is small.
    ...(sandbox.isEnclosed && { dynamic_shared_memory_type: 'sysv' }),
    shared_buffers: `${Math.floor(memoryMib / 4)}MB`,
    effective_cache_size: `${Math.floor(memoryMib / 2)}MB`,
    work_mem: `${Math.max(1, Math.floor(memoryMib / 4 / connections))}MB`,
    maintenance_work_mem: `${Math.max(8, Math.floor(memoryMib / 16))}MB`,
    max_wal_size: `${walBytesOf({ storageBytes }) / MIB}MB`,
    min_wal_size: '32MB',
    temp_file_limit: `${Math.floor(storageBytes / MIB / 4)}MB`,
    max_worker_processes: String(workers + 2),
    max_parallel_workers: String(workers),
    max_parallel_workers_per_gather: String(workers - 1),
    autovacuum_max_workers: '2',
    // Statements may contain personal data: the log contains their errors, but not their text.
    log_min_error_statement: 'panic',
    log_min_messages: 'fatal',
    // With the addresses of clients, for their failed logins.
    log_line_prefix: '%m [%p] %q%h ',
  };
};
