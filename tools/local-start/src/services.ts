import { dirname, join } from 'node:path';
import type { NatsUser, SERVICE_NAMES } from '@postern/contracts';
import { findPostgres } from '@postern/testing';
import type { Home } from './home.js';

export const ROOT = join(import.meta.dirname, '../../..');

/** Addresses of the parts of the local start, chosen before the services start. */
export interface Wiring {
  readonly baseUrl: string;
  readonly port: number;
  readonly natsUrl: string;
  /** Certificate authority of NATS (PEM file). */
  readonly natsCaFile: string;
  readonly natsPasswords: Readonly<Record<NatsUser, string>>;
  /** URL of the service's own database, with its role. */
  readonly databaseUrl: (service: (typeof SERVICE_NAMES)[number]) => string;
  /** Ports of the health checks and metrics. */
  readonly httpPorts: Readonly<Record<(typeof SERVICES)[number], number>>;
  readonly relayPort: number;
  readonly bouncePort: number;
  readonly submissionPort: number;
  readonly dnsAddress: string;
}

/** Settings of the operator that the local start passes on. */
const passedOn = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));

/** The settings of the networks of web services; the local start serves the gateway and the submission of mail to them. */
const networksOf = ({ port, submissionPort }: Wiring): Record<string, string> => ({
  POSTERN_PLATFORM_GATEWAY_ADDRESSES: [port, submissionPort].map(each => `127.0.0.1:${each}`).join(','),
  ...passedOn(
    'POSTERN_SHARED_NETWORK',
    'POSTERN_PLATFORM_NETWORK_POOL',
    'POSTERN_PLATFORM_RESOLVERS',
    'POSTERN_PLATFORM_REACHABLE_NETWORKS',
  ),
});

/** The services that must agree on this setting derive it from the machine if it is not set. */
const concurrentBuilds = (): Record<string, string> => {
  const builds = process.env['POSTERN_PLATFORM_CONCURRENT_BUILDS'];
  return builds === undefined ? {} : { POSTERN_PLATFORM_CONCURRENT_BUILDS: builds };
};

export const SERVICES = [
  'runtime-agent',
  'platform-management',
  'email-send',
  'delivery-tracking',
  'webhook-dispatch',
  'api-gateway',
] as const;

/** The bundle of a program (tools/setup/bundle.mjs). */
export const entryPointOf = (app: string) => join(ROOT, 'apps', app, 'dist/bundle.js');
/** The local start's DNS server serves names below these suffixes; they are not in the public DNS. */
const LOCAL_SUFFIXES = 'test,example,invalid,localhost';

export const LOAD_BALANCER = entryPointOf('load-balancer');
export const STOP_EVERYTHING = join(ROOT, 'apps/runtime-agent/dist/bundle-stop-everything.js');
export const SIMULATOR = join(ROOT, 'tools/mail-simulator/dist/main.js');

/** The folder of web services, their artefacts and logs, and provisioned databases. */
export const platformHome = (home: Home): string => home.openPath('platform');

/** The embedded defaults: the environment variables that an operator would set for each service. */
export const environmentOf = (
  service: (typeof SERVICES)[number],
  wiring: Wiring,
  home: Home,
  operator: { readonly email: string; readonly password: string },
): Record<string, string> => {
  const secrets = home.secrets();
  const ofEvery = {
    NODE_ENV: 'production',
    POSTERN_NATS_SERVERS: wiring.natsUrl,
    POSTERN_NATS_CA_FILE: wiring.natsCaFile,
    POSTERN_NATS_USER: service,
    POSTERN_NATS_PASSWORD: wiring.natsPasswords[service],
    POSTERN_HTTP_HOST: '127.0.0.1',
    POSTERN_HTTP_PORT: String(wiring.httpPorts[service]),
    POSTERN_METRICS_TOKEN: secrets.metricsToken,
    POSTERN_EXIT_WITH_PARENT: 'true',
    // Without a limit, glibc allocates an arena for each thread, tens of megabytes in an idle service.
    MALLOC_ARENA_MAX: '2',
  };
  if (service === 'runtime-agent')
    return {
      ...ofEvery,
      POSTERN_PLATFORM_HOME: platformHome(home),
      ...concurrentBuilds(),
      ...networksOf(wiring),
      POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: 'true',
      POSTERN_GIT_ALLOW_PRIVATE: process.env['POSTERN_GIT_ALLOW_PRIVATE'] ?? 'true',
      POSTERN_PLATFORM_POSTGRES_BIN: dirname(findPostgres().postgres),
    };
  const publicUrl = { POSTERN_PUBLIC_URL: wiring.baseUrl };
  const links = { POSTERN_LINK_SECRETS: secrets.linkSecret };
  const keys = { POSTERN_ENCRYPTION_KEYS: secrets.encryptionKey };
  const privateEndpoints = {
    POSTERN_WEBHOOKS_ALLOW_PRIVATE: process.env['POSTERN_WEBHOOKS_ALLOW_PRIVATE'] ?? 'true',
  };
  const databaseOf = (owner: Parameters<Wiring['databaseUrl']>[0]) => ({
    POSTERN_DATABASE_URL: wiring.databaseUrl(owner),
  });
  switch (service) {
    case 'api-gateway':
      return {
        ...ofEvery,
        ...publicUrl,
        ...links,
        POSTERN_HOST: '127.0.0.1',
        POSTERN_PORT: String(wiring.port),
        POSTERN_SUBMISSION_PORT: String(wiring.submissionPort),
        POSTERN_SUBMISSION_CLEAR_TEXT_AUTH: 'loopback',
      };
    case 'platform-management':
      return {
        ...ofEvery,
        ...databaseOf(service),
        ...keys,
        POSTERN_OPERATOR_EMAIL: operator.email,
        POSTERN_OPERATOR_PASSWORD: operator.password,
        POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: 'true',
        ...privateEndpoints,
        POSTERN_GIT_ALLOW_PRIVATE: process.env['POSTERN_GIT_ALLOW_PRIVATE'] ?? 'true',
        ...concurrentBuilds(),
        POSTERN_DNS_SERVERS: wiring.dnsAddress,
        POSTERN_PRIVATE_DOMAIN_SUFFIXES: LOCAL_SUFFIXES,
      };
    case 'email-send':
      return {
        ...ofEvery,
        ...databaseOf(service),
        ...publicUrl,
        ...links,
        ...keys,
        POSTERN_BOUNCE_DOMAIN: 'bounces.postern.test',
        POSTERN_SANDBOX_DOMAIN: 'sandbox.postern.test',
        POSTERN_SANDBOX_DKIM_KEY: secrets.sandboxDkimKey,
        POSTERN_SPF_HOST: 'spf.postern.test',
        POSTERN_RELAYS: `smtp://127.0.0.1:${wiring.relayPort}?tls=none`,
        POSTERN_DNS_SERVERS: wiring.dnsAddress,
        POSTERN_PRIVATE_DOMAIN_SUFFIXES: LOCAL_SUFFIXES,
        POSTERN_SIMULATOR_DOMAIN: 'simulator.test',
      };
    case 'delivery-tracking':
      return {
        ...ofEvery,
        ...databaseOf(service),
        ...links,
        POSTERN_BOUNCE_DOMAIN: 'bounces.postern.test',
        POSTERN_BOUNCE_SMTP_HOST: '127.0.0.1',
        POSTERN_BOUNCE_SMTP_PORT: String(wiring.bouncePort),
        POSTERN_DNS_SERVERS: wiring.dnsAddress,
        POSTERN_PRIVATE_DOMAIN_SUFFIXES: LOCAL_SUFFIXES,
        // The mail simulator reports complaints from localhost, unsigned.
        POSTERN_COMPLAINT_CLIENTS: '127.0.0.1',
      };
    case 'webhook-dispatch':
      return {
        ...ofEvery,
        ...databaseOf(service),
        ...keys,
        ...privateEndpoints,
      };
    default:
      return { ...ofEvery, ...databaseOf(service) };
  }
};
