import { TemporarilyUnavailable } from '@postern/messaging';

/**
 * SQLSTATE of errors that say nothing about the request: connection lost, server out of resources (a full disk is
 * 53100), shutting down or starting, read-only after a failover, statement or idle session ended by a time limit, I/O.
 */
const SQL_STATES = /^(08...|53...|57P0.|57014|25006|25P03|58...)$/;

/** Errors of the network and of the operating system's resources. */
const SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EMFILE',
  'ENFILE',
  'ENOSPC',
]);

/** Prisma: not reachable, timed out, closed the connection, no free connection, too many connections. */
const PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037']);

/** What Prisma's driver adapter calls the same. */
const ADAPTER_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/** pg tells these by their words alone. */
const WORDS =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed and is not queryable)/;

const DISK_FULL_RETRY_S = 30;
const MOST_CAUSES = 8;

/**
 * An error of the infrastructure as what it means to a caller: not now, perhaps done. Undefined for everything else,
 * which is a bug. The one place that decides it for all services.
 */
export const asTemporarilyUnavailable = (error: unknown): TemporarilyUnavailable | undefined => {
  const code = causesOf(error).map(temporaryCode).find(Boolean);
  if (!code) return undefined;
  return new TemporarilyUnavailable(`the infrastructure failed (${code})`, {
    maybeExecuted: true,
    retryAfterS: code === '53100' || code === 'ENOSPC' ? DISK_FULL_RETRY_S : undefined,
    cause: error,
  });
};

/** Connections that carried nothing, because they were never made. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOENT', 'EAI_AGAIN', 'ENOTFOUND', 'EMFILE', 'ENFILE']);

/** SQLSTATE of errors after which the outcome of a transaction is unknown. */
const OUTCOME_UNKNOWN = /^(08|40003|57P|58|XX)/;

/**
 * Whether a transaction that failed with this error may be committed all the same. A statement that PostgreSQL rejected
 * was rolled back; a broken connection tells nothing.
 */
export const mayHaveCommitted = (error: unknown): boolean => {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (NEVER_CONNECTED.has(code)) return false;
  const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
  return !isSqlState || OUTCOME_UNKNOWN.test(code);
};

/** The error and what it was caused by, as pg, Prisma and AggregateError nest it. */
const causesOf = (error: unknown): Record<string, unknown>[] => {
  const found: Record<string, unknown>[] = [];
  const left: unknown[] = [error];
  while (left.length > 0 && found.length < MOST_CAUSES) {
    const next = left.shift();
    if (typeof next !== 'object' || next === null) continue;
    const cause = next as Record<string, unknown>;
    found.push(cause);
    left.push(cause['cause'], cause['meta'], cause['driverAdapterError']);
    if (Array.isArray(cause['errors'])) left.push(...cause['errors']);
  }
  return found;
};

const temporaryCode = (cause: Record<string, unknown>): string | undefined => {
  for (const code of [cause['code'], cause['originalCode']]) {
    if (typeof code === 'string' && (SQL_STATES.test(code) || SYSTEM.has(code) || PRISMA.has(code))) return code;
  }
  const { kind, message } = cause;
  if (typeof kind === 'string' && ADAPTER_KINDS.has(kind)) return kind;
  return typeof message === 'string' ? WORDS.exec(message)?.[0] : undefined;
};
