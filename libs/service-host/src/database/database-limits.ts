import type { Socket } from 'node:net';
import pg from 'pg';
import { SELECT_STATEMENT_TIMEOUT } from './session.sql.js';

/**
 * Every limit of a connection to PostgreSQL, on both sides, so that whatever the network does is noticed within 30 s:
 * a client that waits closes the connection itself, and PostgreSQL closes sessions whose client is gone.
 */
export const CONNECTION_LIMITS = {
  /** Opening a connection, or the wait for a free one of the pool. */
  connectMs: 5_000,
  /** Longer than a statement may take: then the network carries nothing, and the connection is closed. */
  silenceMarginMs: 5_000,
  /** Longest wait for a lock; a share of the limit of a statement, so that the reason is known. */
  lockShare: 2 / 3,
  /** A migration may build an index of a large table. */
  migrationStatementMs: 4 * 3_600_000,
  /** First probe of an idle connection by this process; the operating system sends ten more, one each second. */
  keepAliveAfterMs: 10_000,
  /** Connections are replaced, so that they follow a change of the address of the server. */
  lifetimeS: 1_800,
} as const;

/** Settings of each session: PostgreSQL gives up a client after 25 s of silence, and after 15 s without acknowledgement. */
const SERVER_SETTINGS: Readonly<Record<string, number>> = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
  client_connection_check_interval: 10_000,
};

export interface SessionLimits {
  readonly applicationName: string;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** Further settings of the session. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** How to connect to a database with all limits. Options in the URL are kept, and ours follow them. */
export const boundedConnection = (databaseUrl: string, limits: SessionLimits): pg.PoolConfig => {
  const { statementTimeoutMs, idleInTransactionTimeoutMs } = limits;
  const settings = {
    ...SERVER_SETTINGS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.round(statementTimeoutMs * CONNECTION_LIMITS.lockShare),
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    ...limits.settings,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  // pg prefers what the URL says, so our options have to be a part of it.
  const url = new URL(databaseUrl);
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...options].join(' ').trim());
  return {
    connectionString: url.href,
    application_name: limits.applicationName,
    connectionTimeoutMillis: CONNECTION_LIMITS.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECTION_LIMITS.keepAliveAfterMs,
    maxLifetimeSeconds: CONNECTION_LIMITS.lifetimeS,
  };
};

/**
 * Closes a connected client that receives nothing for longer than any statement may take: all its queries fail at once.
 * The timeout of pg fails one query and leaves the connection open, so that the ROLLBACK waits as long again.
 */
const closeWhenSilent = (client: pg.Client, statementTimeoutMs: number): void => {
  const stream = client.connection.stream as Socket;
  stream.setTimeout(statementTimeoutMs + CONNECTION_LIMITS.silenceMarginMs, () => {
    stream.destroy(new Error('Connection terminated: PostgreSQL did not answer in time'));
  });
};

/** A pool whose connections have all limits. */
export const boundedPool = (databaseUrl: string, max: number, limits: SessionLimits): pg.Pool => {
  const pool = new pg.Pool({ ...boundedConnection(databaseUrl, limits), max });
  pool.on('connect', client => {
    closeWhenSilent(client as pg.PoolClient & pg.Client, limits.statementTimeoutMs);
    // Also while it is in use: the pool listens only while it is idle, and its queries report the error.
    client.on('error', () => undefined);
  });
  return pool;
};

/** The settings arrive only in a session of its own; a pooler that drops them would leave every wait without a limit. */
export class SettingsDropped extends Error {
  override readonly name = 'SettingsDropped';

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `A connection pooler is between this process and PostgreSQL (${reason}). Postern sets the limits of its sessions ` +
        'when it connects, and needs them: connect POSTERN_DATABASE_URL to PostgreSQL directly.',
      options,
    );
  }
}

const REFUSED_PARAMETER = /unsupported startup parameter/;

/** @throws SettingsDropped if a session does not have the limits that it asked for. */
export const requireSessionLimits = async (pool: pg.Pool, { statementTimeoutMs }: SessionLimits): Promise<void> => {
  const { rows } = await pool.query<{ limit: string }>(SELECT_STATEMENT_TIMEOUT).catch((error: Error) => {
    throw REFUSED_PARAMETER.test(error.message) ? new SettingsDropped(error.message, { cause: error }) : error;
  });
  if (Number(rows[0]?.limit) !== statementTimeoutMs)
    throw new SettingsDropped('it dropped the settings of the session');
};
