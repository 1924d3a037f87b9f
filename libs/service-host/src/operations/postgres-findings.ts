import type pg from 'pg';
import { VerifyingClient } from '../database/verifying-client.js';
import { backupFinding } from './backup-finding.js';
import { diskSpaceOf } from './disk-space.js';
import type { Finding } from './ports.js';
import { SELECT_SERVER_STATE } from './postgres-findings.sql.js';

const MINIMUM_VERSION = 150_000;
const IDLE_LIMIT_MS = 60_000;
const CLOCK_WARNING_MS = 1_000;
const FREE_WARNING = 0.1;
const CONNECTIONS_WARNING = 0.8;
const OLD_TRANSACTION_S = 60;
/** `postern doctor` tells within five seconds what did not answer. */
const CONNECT_WITHIN_MS = 2_000;
const ANSWER_WITHIN_MS = 2_000;
const DISK_WITHIN_MS = 400;

interface Settings {
  readonly version: string;
  readonly version_number: string;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly full_page_writes: string;
  readonly idle: string;
  readonly data_directory: string | null;
  readonly connections: number;
  readonly max_connections: number;
  readonly oldest_s: number;
  readonly now: Date;
}

const verdictOf = (isGood: boolean, verdict: 'warning' | 'bad'): Finding['verdict'] => (isGood ? 'good' : verdict);

/** Findings about the PostgreSQL server of the service, as visible to its role. */
export const postgresFindings = async (pool: pg.Pool): Promise<Finding[]> => {
  // A separate session, because sessions of the pool change settings.
  const client = new VerifyingClient({
    connectionString: withoutOptions(pool.options.connectionString),
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  await client.connect();
  try {
    return await findingsOf(client);
  } finally {
    await client.end();
  }
};

const withoutOptions = (connectionString = ''): string => {
  const url = new URL(connectionString);
  url.searchParams.delete('options');
  return url.href;
};

const findingsOf = async (client: pg.Client): Promise<Finding[]> => {
  const sentAt = Date.now();
  const { rows } = await client.query<Settings>(SELECT_SERVER_STATE);
  const [now] = rows;
  if (!now) throw new Error('PostgreSQL returned no row');
  const offMs = Math.abs(now.now.getTime() - (sentAt + Date.now()) / 2);
  const idleMs = Number(now.idle);
  const durable = now.fsync === 'on' && now.full_page_writes === 'on' && now.synchronous_commit !== 'off';
  const hasFreeConnections = now.connections < CONNECTIONS_WARNING * now.max_connections;
  return [
    {
      check: 'PostgreSQL version',
      verdict: verdictOf(Number(now.version_number) >= MINIMUM_VERSION, 'bad'),
      found: now.version,
      advice: 'Postern is tested with PostgreSQL 15 and 18: upgrade.',
    },
    {
      check: 'PostgreSQL durability',
      verdict: verdictOf(durable, 'bad'),
      found: `fsync ${now.fsync}, full_page_writes ${now.full_page_writes}, synchronous_commit ${now.synchronous_commit}`,
      advice: 'Turn all three on: an accepted message must survive a power failure.',
    },
    await backupFinding(client),
    {
      check: 'PostgreSQL idle transactions',
      verdict: verdictOf(idleMs > 0 && idleMs <= IDLE_LIMIT_MS, 'warning'),
      found: `other sessions may idle in a transaction for ${idleMs === 0 ? 'ever' : `${idleMs} ms`}`,
      advice:
        "ALTER SYSTEM SET idle_in_transaction_session_timeout = '10s': an open transaction holds back the events of its database.",
    },
    {
      check: 'PostgreSQL open transactions',
      verdict: verdictOf(now.oldest_s < OLD_TRANSACTION_S, 'bad'),
      found: `the oldest writing transaction is ${now.oldest_s} s old`,
      advice:
        'End it (pg_stat_activity, pg_terminate_backend): events written since it started are hidden until it ends.',
    },
    {
      check: 'PostgreSQL connections',
      verdict: verdictOf(hasFreeConnections, 'warning'),
      found: `${now.connections} of ${now.max_connections}`,
      advice: 'Raise max_connections, or lower POSTERN_DATABASE_POOL_SIZE or the number of replicas.',
    },
    {
      check: 'PostgreSQL clock',
      verdict: verdictOf(offMs < CLOCK_WARNING_MS, 'warning'),
      found: `${Math.round(offMs)} ms from the service's`,
      advice: 'Run chrony or systemd-timesyncd on both machines.',
    },
    ...(await diskFindings(now.data_directory)),
  ].map(({ advice, ...finding }) => (finding.verdict === 'good' || !advice ? finding : { ...finding, advice }));
};

/** The disk is visible only if PostgreSQL runs on the same machine and the role may read its data directory. */
const diskFindings = async (folder: string | null): Promise<(Finding & { advice?: string })[]> => {
  const disk = folder === null ? undefined : await diskSpaceOf(folder, DISK_WITHIN_MS).catch(() => undefined);
  if (!disk) return [];
  const { freeShare, freeBytes } = disk;
  return [
    {
      check: 'PostgreSQL disk',
      verdict: verdictOf(freeShare >= FREE_WARNING, 'bad'),
      found: `${Math.round(freeShare * 100)} % free (${(freeBytes / 1e9).toFixed(1)} GB)`,
      advice: 'Free disk space: PostgreSQL stops and JetStream hangs on a full disk.',
    },
  ];
};
