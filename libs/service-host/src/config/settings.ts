import { z } from 'zod';
import { Secret } from './secret.js';

/** Types of settings. Environment variables are text; each type parses its own values. */
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

/** Settings of every service. */
export const hostSettings = {
  httpHost: text().default('127.0.0.1').describe('Address of the HTTP port.'),
  httpPort: integer()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('HTTP port; 0 picks a free port and prints it in the ready line.'),
  metricsToken: secret()
    .optional()
    .describe(
      'Bearer token that requests for /metrics need. Without it, each client of the HTTP port may read the metrics.',
    ),
  natsServers: text().default('nats://127.0.0.1:4222').describe('NATS servers, comma-separated.'),
  natsUser: text().optional().describe('NATS user.'),
  natsPassword: secret().optional().describe('NATS password.'),
  natsToken: secret().optional().describe('NATS token, instead of user and password.'),
  natsCaFile: text()
    .optional()
    .describe(
      'Certificate authority of the NATS servers (PEM file). Default: the authorities of Node.js. TLS is required if this, tls:// in a URL, a password or a token is set.',
    ),
  natsClearText: flag()
    .default(false)
    .describe(
      'Sends the NATS password or token without TLS, to whatever server has the address. Only for a network that nobody else can use.',
    ),
  natsCertFile: text().optional().describe('Client certificate for NATS (PEM file).'),
  natsKeyFile: text().optional().describe('Key of the client certificate for NATS (PEM file).'),
  natsMinPayloadBytes: integer()
    .min(0)
    .default(0)
    .describe('Refuses to start if max_payload of the NATS servers is smaller; 16777216 is enough for every email.'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Minimum level of log lines.'),
  otlpEndpoint: text()
    .optional()
    .describe(
      'Base URL of an OpenTelemetry collector (OTLP over HTTP), for traces. Default: OTEL_EXPORTER_OTLP_ENDPOINT; without either, no traces.',
    ),
  traceRatio: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      'Share of new traces that are recorded, from 0 to 1; a trace of the caller is recorded if the caller records it.',
    ),
  shutdownTimeoutMs: integer().min(100).default(15_000).describe('Time to finish running work on SIGTERM.'),
  stalledLoopLimitS: integer()
    .min(0)
    .default(60)
    .describe('The process exits after its event loop was blocked for this many seconds; 0 disables the check.'),
  exitWithParent: flag()
    .default(false)
    .describe('Shuts down when standard input closes, for example because the parent process exited.'),
};

/** Settings of services with a database. */
export const databaseSettings = {
  databaseUrl: secret().describe(
    'PostgreSQL URL of the service’s database; the database is created if it is missing and the role may create it.',
  ),
  databasePoolSize: integer().min(2).default(10).describe('Maximum number of connections per process.'),
  databaseStatementTimeoutMs: integer()
    .min(1_000)
    .default(15_000)
    .describe('Maximum duration of a statement; a connection that is silent for five seconds longer is closed.'),
  databaseIdleInTransactionTimeoutMs: integer()
    .min(1_000)
    .default(10_000)
    .describe('Maximum idle time in a transaction; an open transaction delays the event feed of its database.'),
};

/** Days that messages are stored, in each service that stores them. Reports about a message can arrive for 35 days. */
export const messageRetentionDays = () =>
  integer()
    .min(36)
    .default(90)
    .describe(
      'Days that messages are stored: their records, timelines and addresses. Their counts in the statistics are kept.',
    );
