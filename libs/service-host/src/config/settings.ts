import { z } from 'zod';
import { Secret } from './secret.js';

/** Kinds of settings. Environment variables are text; each kind reads its text into the type the code wants. */
export const text = () => z.string();
export const integer = () => z.coerce.number().int();
export const flag = () => z.stringbool();
export const secret = () => z.string().transform(value => new Secret(value));
export const list = () =>
  z.string().transform(value =>
    value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  );

/** What every service understands. */
export const hostSettings = {
  httpHost: text().default('127.0.0.1').describe('Address that the HTTP port listens on.'),
  httpPort: integer().min(0).max(65_535).default(0).describe('HTTP port; 0 picks a free one, named by the ready line.'),
  natsServers: text().default('nats://127.0.0.1:4222').describe('NATS servers, comma-separated.'),
  natsUser: text().optional().describe('User at NATS.'),
  natsPassword: secret().optional().describe('Password at NATS.'),
  natsToken: secret().optional().describe('Token at NATS, instead of user and password.'),
  natsCaFile: text().optional().describe('Certificate authority of the NATS servers (PEM file); turns TLS on.'),
  natsCertFile: text().optional().describe('Client certificate for NATS (PEM file).'),
  natsKeyFile: text().optional().describe('Key of the client certificate for NATS (PEM file).'),
  natsMinPayloadBytes: integer()
    .min(0)
    .default(0)
    .describe('Refuse to start with NATS servers that take smaller messages; 16777216 carries every email.'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least important log line that is written.'),
  otlpEndpoint: text()
    .optional()
    .describe(
      'Base URL of an OpenTelemetry collector (OTLP over HTTP), for traces; unset: OTEL_EXPORTER_OTLP_ENDPOINT, else none are made.',
    ),
  traceRatio: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of the traces beginning here that are recorded; a caller’s own trace is recorded as it says.'),
  shutdownTimeoutMs: integer().min(100).default(15_000).describe('Time to finish work under way on SIGTERM.'),
  stalledLoopLimitS: integer()
    .min(0)
    .default(60)
    .describe('Ends the process when its event loop has not turned for so many seconds; 0 never does.'),
  exitWithParent: flag()
    .default(false)
    .describe('Shut down when standard input closes, as it does when the parent dies.'),
};

/** What a service with a database understands as well. */
export const databaseSettings = {
  databaseUrl: secret().describe('PostgreSQL URL of this service’s own database; created if missing and allowed.'),
  databasePoolSize: integer().min(2).default(10).describe('Connections of one process, at most.'),
  databaseStatementTimeoutMs: integer().min(0).default(15_000).describe('Longest statement; 0 is for ever.'),
  databaseIdleInTransactionTimeoutMs: integer()
    .min(0)
    .default(10_000)
    .describe('Longest pause inside a transaction: an open one holds up the event feed of its database.'),
};

/** What a service that publishes events understands as well. */
export const eventSettings = {
  eventStreamMaxBytes: integer()
    .min(1_048_576)
    .default(1_073_741_824)
    .describe('Size of the JetStream stream; events wait in the database while it is full.'),
};
