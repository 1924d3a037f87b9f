import { fileURLToPath } from 'node:url';
import { ConfigError, type ConfigOf, defineConfig, integer, list, Secret, text } from '@postern/service-host/config';

const builtDashboard = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));
const url = text().refine(value => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be an http or https URL');

/** Settings of the gateway. `host` and `port` are the public port; `httpPort` of the host is the operator's port. */
export const gatewayConfig = defineConfig({
  host: text().default('127.0.0.1').describe('Address that the public port listens on.'),
  port: integer().min(0).max(65_535).default(8080).describe('The public port; 0 picks a free one.'),
  publicUrl: url
    .default('http://127.0.0.1:8080')
    .describe('Base URL for clients; with https, cookies are Secure and HSTS is sent.'),
  natsMinPayloadBytes: integer()
    .min(0)
    .default(16 * 1024 * 1024)
    .describe('Refuse to start if the NATS servers accept only smaller messages; the largest email needs this size.'),
  linkSecrets: list()
    .refine(all => all.length > 0 && all.every(one => Buffer.byteLength(one) >= 32), 'needs at least 32 bytes each')
    .transform(secrets => secrets.map(secret => new Secret(secret)))
    .describe('Secrets of tracking links, comma-separated; the first one signs, all verify.'),
  trustedProxies: list()
    .refine(all => all.length === 1 || !all.includes('none'), '"none" excludes other entries')
    .transform(all => all.filter(proxy => proxy !== 'none'))
    .optional()
    .describe(
      'Addresses or CIDR ranges of the proxies whose X-Forwarded-For is trusted, comma-separated; "none" if clients connect directly. Required if POSTERN_PUBLIC_URL is an https URL.',
    ),
  dashboardDir: text().default(builtDashboard).describe('Folder with the built files of the dashboard.'),
  maxConnections: integer().min(1).default(10_000).describe('Maximum number of connections; more are refused.'),
  headersTimeoutMs: integer().min(100).default(10_000).describe('Time limit for the headers of a request.'),
  answerWithinMs: integer()
    .min(5_000)
    .max(60_000)
    .default(30_000)
    .describe('Time limit for POST /emails, from its arrival to its answer; no step of it starts later.'),
  requestTimeoutMs: integer().min(100).default(60_000).describe('Time limit for headers and body of a request.'),
});

export type GatewayConfig = ConfigOf<typeof gatewayConfig>;

/** The trusted proxies. @throws for an https URL without a statement: behind a proxy all clients share one address. */
export const trustedProxiesOf = ({ publicUrl, trustedProxies }: GatewayConfig): readonly string[] => {
  if (trustedProxies === undefined && publicUrl.startsWith('https:'))
    throw new ConfigError([
      'POSTERN_TRUSTED_PROXIES: is required because POSTERN_PUBLIC_URL is an https URL. Set it to the networks of the' +
        ' proxies in front of the gateway, for example 10.0.0.0/8, or to "none" if clients connect directly. Without' +
        ' it, all clients behind a proxy count as one address, and limits of one apply to all.',
    ]);
  return trustedProxies ?? [];
};
