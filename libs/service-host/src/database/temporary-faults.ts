import { TemporarilyUnavailable } from '@postern/messaging';

/**
 * SQLSTATE of errors that the request did not cause: lost connection, exhausted resources (53100 is a full disk),
 * shutdown or startup, read-only after a failover, timeouts (55P03: of a lock), I/O.
 */
const SQL_STATES = /^(08...|53...|55P03|57P0.|57014|25006|25P03|58...)$/;

/** Errors of the network and the operating system. */
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

/** Prisma: unreachable, timed out, connection closed, no free connection, too many connections. */
const PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037']);

/** The same errors of Prisma's driver adapter. */
const ADAPTER_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/** Errors of pg that have only a message. */
const MESSAGES =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed and is not queryable)/;

const DISK_FULL_RETRY_S = 30;
const MAX_CAUSES = 8;

/**
 * Translates an infrastructure error for the caller: temporarily unavailable, possibly executed. Undefined for other
 * errors, which are bugs. The only place that makes this decision.
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

/** Connection errors before any data was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOENT', 'EAI_AGAIN', 'ENOTFOUND', 'EMFILE', 'ENFILE']);

/** SQLSTATE of errors after which the outcome of a transaction is unknown. */
const OUTCOME_UNKNOWN = /^(08|40003|57P|58|XX)/;

/**
 * Whether a transaction that failed with this error may still have been committed. PostgreSQL rolled back a rejected
 * statement; after a broken connection the outcome is unknown.
 */
export const mayHaveCommitted = (error: unknown): boolean => {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (NEVER_CONNECTED.has(code)) return false;
  const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
  return !isSqlState || OUTCOME_UNKNOWN.test(code);
};

/** The error and its causes, as nested by pg, Prisma and AggregateError. */
const causesOf = (error: unknown): Record<string, unknown>[] => {
  const found: Record<string, unknown>[] = [];
  const left: unknown[] = [error];
  while (left.length > 0 && found.length < MAX_CAUSES) {
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
  return typeof message === 'string' ? MESSAGES.exec(message)?.[0] : undefined;
};
