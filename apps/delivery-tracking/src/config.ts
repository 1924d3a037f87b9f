import {
  type ConfigOf,
  databaseSettings,
  defineConfig,
  eventSettings,
  integer,
  list,
  text,
} from '@postern/service-host/config';

export const config = defineConfig({
  ...databaseSettings,
  ...eventSettings,
  linkSecrets: list()
    .refine(secrets => secrets.length > 0 && secrets.every(secret => Buffer.byteLength(secret) >= 32), {
      message: 'needs at least one secret, each of 32 bytes or more',
    })
    .describe('Secrets of return paths, pixels and links; the first signs, all verify. Comma-separated.'),
  bounceDomain: text()
    .transform(domain => domain.toLowerCase())
    .describe('Domain of return paths, whose MX is this service; feedback reports come to fbl@ it.'),
  bounceSmtpHost: text().default('127.0.0.1').describe('Address that the bounce listener listens on.'),
  bounceSmtpPort: integer().min(0).max(65_535).default(0).describe('Port of the bounce listener; 0 picks a free one.'),
  bounceMaxBytes: integer()
    .min(1_024)
    .default(1_048_576)
    .describe('Largest report that is taken; larger ones get 552.'),
  bounceMaxConnections: integer().min(1).default(200).describe('Connections to the bounce listener at once, at most.'),
  bounceMaxConnectionsPerAddress: integer().min(1).default(50).describe('Of these, those from one address at most.'),
  bounceMaxMessagesPerMinute: integer()
    .min(1)
    .default(60_000)
    .describe('Messages a minute from one address; more get 450 and come again.'),
  bounceConnectionTimeoutMs: integer().min(1).default(30_000).describe('Longest silence on a connection.'),
  bounceSessionTimeoutMs: integer().min(1).default(600_000).describe('Longest life of a connection.'),
  bounceTlsCertFile: text()
    .optional()
    .describe('Certificate of the bounce listener for STARTTLS (PEM file); without it one is made at every start.'),
  bounceTlsKeyFile: text().optional().describe('Key of the certificate of the bounce listener (PEM file).'),
  notificationPatienceMs: integer()
    .min(1)
    .default(5 * 86_400_000)
    .describe('After so long without a notification a recipient is shown as unknown.'),
  signalPatienceMs: integer()
    .min(1)
    .default(86_400_000)
    .describe('How long a notification, an open or a click waits for its email to become known.'),
  sweepIntervalMs: integer().min(10).default(30_000).describe('How often overdue things are looked for.'),
});

export type DeliveryTrackingConfig = ConfigOf<typeof config>;
