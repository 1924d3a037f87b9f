import { fileURLToPath } from 'node:url';
import { MIB } from '@postern/contracts';
import {
  ConfigError,
  type ConfigOf,
  defineConfig,
  flag,
  integer,
  list,
  Secret,
  text,
} from '@postern/service-host/config';
import { z } from 'zod';
import { cellList } from './cells/cell-settings.js';

const builtDashboard = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));
const builtDocumentation = fileURLToPath(new URL('../../documentation/dist/site', import.meta.url));
const builtPackages = fileURLToPath(new URL('../../documentation/dist/packages', import.meta.url));
const url = text().refine(value => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be an http or https URL');

/**
 * Settings of the gateway. `host` and `port` are for the public port; `httpPort` of the host is the operator's port.
 */
export const config = defineConfig({
  host: text().default('127.0.0.1').describe('Address that the public port listens on.'),
  port: integer().min(0).max(65_535).default(8080).describe('The public port; 0 picks a free one.'),
  publicUrl: url
    .default('http://127.0.0.1:8080')
    .describe('Base URL for clients; with https, cookies are Secure and HSTS is sent.'),
  natsMinPayloadBytes: integer()
    .min(0)
    .default(52 * MIB)
    .describe('Refuses to start if max_payload of the NATS servers is smaller; the largest email needs this size.'),
  linkSecrets: list()
    .refine(all => all.length > 0 && all.every(one => Buffer.byteLength(one) >= 32), 'needs at least 32 bytes each')
    .transform(secrets => secrets.map(secret => new Secret(secret)))
    .optional()
    .describe(
      'Secrets for tracking links, comma-separated; the first one signs, all verify. Required without POSTERN_CELLS.',
    ),
  cells: cellList()
    .optional()
    .describe(
      'The cells behind this gateway, as a JSON list (docs/operations.md). POSTERN_NATS_SERVERS and the other settings of NATS, and POSTERN_LINK_SECRETS, are then those of each cell.',
    ),
  trustedProxies: list()
    .refine(all => all.length === 1 || !all.includes('none'), '"none" excludes other entries')
    .transform(all => all.filter(proxy => proxy !== 'none'))
    .optional()
    .describe(
      'Addresses or CIDR ranges of the proxies whose X-Forwarded-For is trusted, comma-separated; "none" if clients connect directly. Required if POSTERN_PUBLIC_URL is an https URL.',
    ),
  dashboardDir: text().default(builtDashboard).describe('Folder with the built files of the dashboard.'),
  documentationDir: text().default(builtDocumentation).describe('Folder with the built pages of the documentation.'),
  packagesDir: text().default(builtPackages).describe('Folder with the packages that users install.'),
  accessLog: flag().default(true).describe('Whether the log has one line for each request, without personal data.'),
  maxConnections: integer().min(1).default(10_000).describe('Maximum number of connections; more are refused.'),
  maxConnectionsPerAddress: integer()
    .min(1)
    .default(500)
    .describe('Maximum number of connections from one address, or /64 of IPv6; trusted proxies have no such limit.'),
  clientRequestsPerSecond: integer()
    .min(1)
    .default(200)
    .describe(
      'Requests without a valid credential from one address per second, and twice as many at once; more are a 429.',
    ),
  callerRequestsPerSecond: integer()
    .min(1)
    .default(500)
    .describe('Requests of one signed-in user per second, and twice as many at once; more are a 429.'),
  callerRequestsAtOnce: integer()
    .min(1)
    .default(100)
    .describe('Requests of one signed-in user that are not answered yet; more are a 429.'),
  workspaceRequestsPerSecond: integer()
    .min(1)
    .default(1_000)
    .describe(
      'Requests of all signed-in users in one workspace per second, and twice as many at once; more are a 429.',
    ),
  maxBufferedBytes: integer()
    .min(16 * MIB)
    .default(96 * MIB)
    .describe('Maximum bytes of request bodies in memory; more are a 503.'),
  maxBufferedBytesPerClient: integer()
    .min(16 * MIB)
    .default(48 * MIB)
    .describe('Maximum bytes of request bodies in memory from one address, or /64 of IPv6; more are a 429.'),
  logStreamBytesPerSecond: integer()
    .min(65_536)
    .default(MIB)
    .describe(
      'Maximum bytes per second of one log stream; when there is more to send, lines arrive later and none are lost.',
    ),
  logStreamBytesPerSecondPerWorkspace: integer()
    .min(65_536)
    .default(2 * MIB)
    .describe('Maximum bytes per second of all log streams of a workspace together.'),
  logStreamStalledMs: integer()
    .min(100)
    .default(60_000)
    .describe('A log stream is closed after its client has read nothing for this long.'),
  headersTimeoutMs: integer().min(100).default(10_000).describe('Time limit for the headers of a request.'),
  answerWithinMs: integer()
    .min(5_000)
    .max(60_000)
    .default(30_000)
    .describe('Time limit for POST /emails, from request to response; no step starts after it.'),
  submissionPort: integer()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port of SMTP submission; 0 picks a free one. Without it, Postern accepts email over HTTP only.'),
  submissionTlsPort: integer()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      'Port of SMTP submission with TLS from the first byte, usually 465; 0 picks a free one. Needs POSTERN_SUBMISSION_PORT.',
    ),
  submissionHost: text().default('127.0.0.1').describe('Address that SMTP submission listens on.'),
  submissionName: text().default('localhost').describe('Host name in the greeting and certificate of SMTP submission.'),
  submissionTlsCertFile: text()
    .optional()
    .describe(
      'PEM file with the certificate of SMTP submission; without it, a self-signed one is generated at each start.',
    ),
  submissionTlsKeyFile: text().optional().describe('PEM file with the key of POSTERN_SUBMISSION_TLS_CERT_FILE.'),
  submissionClearTextAuth: z
    .enum(['never', 'loopback'])
    .default('never')
    .describe(
      'Clients that may authenticate at SMTP submission without TLS: none, or those on loopback addresses (programs on this machine, and everything that a local proxy forwards).',
    ),
  submissionMaxConnections: integer().min(1).default(500).describe('Maximum number of connections of SMTP submission.'),
  submissionMaxConnectionsPerAddress: integer()
    .min(1)
    .default(50)
    .describe('Maximum number of connections of SMTP submission from one address, or /64 of IPv6.'),
  submissionTimeoutMs: integer()
    .min(100)
    .default(60_000)
    .describe('Time limit of SMTP submission for each command, and for the next bytes of a message.'),
  submissionSessionTimeoutMs: integer()
    .min(100)
    .default(600_000)
    .describe('Maximum lifetime of a connection of SMTP submission.'),
  requestTimeoutMs: integer().min(100).default(60_000).describe('Time limit for headers and body of a request.'),
  connectionDrainMs: integer()
    .min(0)
    .default(0)
    .describe(
      'On shutdown, how long idle connections stay open for one more request while another process takes over.',
    ),
});

export type GatewayConfig = ConfigOf<typeof config>;

/** The secrets for tracking links. @throws if there is no such setting. */
export const linkSecretsOf = ({ linkSecrets }: GatewayConfig): readonly Secret[] => {
  if (linkSecrets === undefined) throw new ConfigError(['POSTERN_LINK_SECRETS: is required']);
  return linkSecrets;
};

/** The trusted proxies. @throws if an https URL has no such setting: behind a proxy all clients share one address. */
export const trustedProxiesOf = ({ publicUrl, trustedProxies }: GatewayConfig): readonly string[] => {
  if (trustedProxies === undefined && publicUrl.startsWith('https:'))
    throw new ConfigError([
      'POSTERN_TRUSTED_PROXIES: is required because POSTERN_PUBLIC_URL is an https URL. Set it to the networks of the' +
        ' proxies in front of the gateway, for example 10.0.0.0/8, or to "none" if clients connect directly. Without' +
        ' it, all clients behind a proxy count as one address, and limits of one apply to all.',
    ]);
  return trustedProxies ?? [];
};
