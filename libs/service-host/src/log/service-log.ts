import type { LoggerService } from '@nestjs/common';
import { currentContext, type Log } from '@postern/messaging';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { LogDestination } from './log-destination.js';
import { redactLine } from './redact.js';
import { redactError, redactFields } from './redact-fields.js';

const STANDARD_OUTPUT = 1;
const FLUSH_LIMIT_MS = 500;

/** The log of the service, one JSON object per line; also the injection token. Fields first, then a message. */
export abstract class ServiceLog implements Log {
  abstract debug(fields: object, message: string): void;
  abstract info(fields: object, message: string): void;
  abstract warn(fields: object, message: string): void;
  abstract error(fields: object, message: string): void;
  /**
   * Writes a line of the level `info` in a third of the time, without the context of the current request. Redacts only
   * text that looks like an address or a key, not fields by name.
   */
  abstract plain(fields: PlainFields, message: string): void;
}

export type PlainFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface LogOutput {
  readonly log: ServiceLog;
  /** Writes a line unchanged, in order with log lines. */
  writeLine(line: string): void;
  /** Writes buffered lines, for half a second at most. */
  flush(): void;
}

/** Logs to standard output, with the correlation id and trace id of the current request. */
export const createLog = (service: string, level: string): LogOutput => {
  const destination = new LogDestination(STANDARD_OUTPUT, lost =>
    JSON.stringify({ level: 'warn', time: new Date(), service, lost, msg: 'Log lines were lost' }),
  );
  const log = pino(logOptions(service, level), destination);
  return {
    log: Object.assign(log, { plain: plainLines(service, log, destination) }),
    writeLine: line => destination.write(`${line}\n`),
    flush: () => void destination.flush(FLUSH_LIMIT_MS),
  };
};

/** Lines of the same format as those of `logOptions`. */
export const plainLines = (
  service: string,
  log: Pick<Logger, 'isLevelEnabled'>,
  destination: Pick<LogDestination, 'write'>,
): ServiceLog['plain'] => {
  const name = `,"service":${JSON.stringify(service)},`;
  return (fields, message) => {
    if (!log.isLevelEnabled('info')) return;
    const members = JSON.stringify({ ...fields, msg: message });
    destination.write(redactLine(`{"level":"info"${timeField()}${name}${members.slice(1)}\n`));
  };
};

/** The format of every line. */
export const logOptions = (service: string, level: string): LoggerOptions => ({
  level,
  base: { service },
  timestamp: timeField,
  formatters: { level: label => ({ level: label }), bindings: redactFields, log: redactFields },
  serializers: { err: error => redactError(pino.stdSerializers.err(error)) },
  mixin: contextFields,
  mixinMergeStrategy: withContext,
  hooks: { streamWrite: redactLine },
});

let timeMs = 0;
let timeText = '';

/** The time of a line in ISO 8601; formatted once per millisecond. */
const timeField = (): string => {
  const now = Date.now();
  if (now !== timeMs) {
    timeMs = now;
    timeText = `,"time":"${new Date(now).toISOString()}"`;
  }
  return timeText;
};

const NO_CONTEXT: object = {};

const contextFields = (): object => {
  const context = currentContext();
  if (!context) return NO_CONTEXT;
  const traceId = context.traceparent?.split('-')[1];
  return { correlationId: context.correlationId, ...(traceId ? { traceId } : {}) };
};

/** Fields of the line take precedence over those of the context. */
const withContext = (fields: object, context: object): object =>
  context === NO_CONTEXT ? fields : { ...context, ...fields };

/** Nest's log in the format of Postern; its startup messages have the level debug. */
export const nestLog = (log: ServiceLog): LoggerService => {
  const fields = (rest: unknown[]) => ({ context: rest.at(-1) });
  return {
    log: (message: unknown, ...rest: unknown[]) => log.debug(fields(rest), String(message)),
    debug: (message: unknown, ...rest: unknown[]) => log.debug(fields(rest), String(message)),
    verbose: (message: unknown, ...rest: unknown[]) => log.debug(fields(rest), String(message)),
    warn: (message: unknown, ...rest: unknown[]) => log.warn(fields(rest), String(message)),
    error: (message: unknown, ...rest: unknown[]) => log.error({ err: message, ...fields(rest) }, String(message)),
    fatal: (message: unknown, ...rest: unknown[]) => log.error({ err: message, ...fields(rest) }, String(message)),
  };
};
