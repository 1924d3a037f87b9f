import {
  type ConfigOf,
  databaseSettings,
  defineConfig,
  integer,
  list,
  messageRetentionDays,
  text,
} from '@postern/service-host/config';
import { z } from 'zod';

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

export const config = defineConfig({
  ...databaseSettings,
  linkSecrets: list()
    .refine(secrets => secrets.length > 0 && secrets.every(secret => Buffer.byteLength(secret) >= 32), {
      message: 'needs at least one secret, each of 32 bytes or more',
    })
    .describe('Secrets for return paths, tracking pixels and links, comma-separated; the first one signs, all verify.'),
  bounceDomain: text()
    .transform(domain => domain.toLowerCase())
    .describe(
      'Domain of return paths and of the mailboxes fbl@ and reports@; its MX record must point to this service.',
    ),
  bounceSmtpHost: text().default('127.0.0.1').describe('Address that the bounce listener binds to.'),
  bounceSmtpPort: integer()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Port of the bounce listener; 0 selects a free one.'),
  bounceMaxBytes: integer()
    .min(1_024)
    .default(1_048_576)
    .describe('Maximum size of a report; larger ones are refused with 552.'),
  bounceMaxConnections: integer()
    .min(1)
    .default(200)
    .describe('Maximum concurrent connections to the bounce listener.'),
  bounceMaxConnectionsPerAddress: integer()
    .min(1)
    .default(50)
    .describe('Maximum concurrent connections from one address; a /64 of IPv6 counts as one.'),
  bounceMaxMessagesPerMinute: integer()
    .min(1)
    .default(60_000)
    .describe('Maximum messages per minute from one address; a /64 of IPv6 counts as one. More are deferred with 450.'),
  bounceConnectionTimeoutMs: integer().min(1).default(30_000).describe('Maximum idle time of a connection.'),
  bounceSessionTimeoutMs: integer().min(1).default(600_000).describe('Maximum lifetime of a connection.'),
  complaintSenders: list()
    .default(['arf.mail.yahoo.com', 'staff@hotmail.com'])
    .describe(
      'Authors whose DKIM-signed feedback reports count as complaints, comma-separated addresses or domains: the senders of your feedback loops. Check the default against a report of each loop.',
    ),
  complaintClients: list()
    .refine(clients => clients.every(client => network.safeParse(client).success), {
      message: 'each must be an address or a network such as 192.0.2.0/24',
    })
    .default([])
    .describe(
      'Your own mail servers, comma-separated addresses or networks: feedback reports that they deliver count without a signature.',
    ),
  dnsServers: list()
    .default([])
    .describe(
      'Resolvers for DKIM keys of feedback reports and of reports about domains, comma-separated address[:port]; empty: the system’s.',
    ),
  privateDomainSuffixes: list()
    .default([])
    .describe(
      'Suffixes outside the public DNS below which DKIM keys of reports are looked up too, comma-separated, such as "corp".',
    ),
  bounceTlsCertFile: text()
    .optional()
    .describe(
      'Certificate of the bounce listener for STARTTLS (PEM file). Default: a self-signed one, created at every start.',
    ),
  bounceTlsKeyFile: text().optional().describe('Private key of that certificate (PEM file).'),
  notificationPatienceMs: integer()
    .min(1)
    .default(5 * 86_400_000)
    .describe('Time without a notification after which the state of a recipient becomes unknown.'),
  signalPatienceMs: integer()
    .min(1)
    .default(86_400_000)
    .describe('Time that a notification, open or click is stored while its email is unknown.'),
  bounceNoticeRetentionDays: integer()
    .min(1)
    .default(90)
    .describe(
      'Days that the text of bounce notices is stored, so that they can be classified again with improved rules.',
    ),
  messageRetentionDays: messageRetentionDays(),
  sweepIntervalMs: integer()
    .min(10)
    .default(30_000)
    .describe('Interval of the checks for overdue notifications and stored signals.'),
});

export type DeliveryTrackingConfig = ConfigOf<typeof config>;
