import { dirname, join } from 'node:path';
import { findPostgres } from '@postern/testing';
import type { Home } from './home.js';

export const ROOT = join(import.meta.dirname, '../../..');

/** Where the parts of the local start listen, picked before the services are told. */
export interface Wiring {
  readonly baseUrl: string;
  readonly port: number;
  readonly natsUrl: string;
  readonly natsToken: string;
  /** With user and password. */
  readonly databaseUrl: (service: string) => string;
  readonly relayPort: number;
  readonly bouncePort: number;
  readonly dnsAddress: string;
}

export const SERVICES = [
  'runtime-agent',
  'platform-management',
  'email-send',
  'delivery-tracking',
  'webhook-dispatch',
  'api-gateway',
] as const;

export const entryPointOf = (app: string) => join(ROOT, 'apps', app, 'dist/main.js');
export const LOAD_BALANCER = entryPointOf('load-balancer');
export const STOP_EVERYTHING = join(ROOT, 'apps/runtime-agent/dist/stop-everything.js');
export const SIMULATOR = join(ROOT, 'tools/mail-simulator/dist/main.js');

/** Where web services, their artefacts and logs, and provisioned databases live. */
export const platformHome = (home: Home): string => home.openPath('platform');

/** The embedded defaults: what an operator would set for each service, as environment variables. */
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
    POSTERN_NATS_TOKEN: wiring.natsToken,
    POSTERN_HTTP_HOST: '127.0.0.1',
    POSTERN_HTTP_PORT: '0',
    POSTERN_EXIT_WITH_PARENT: 'true',
    // glibc keeps an arena for every thread otherwise, which costs an idle service tens of megabytes.
    MALLOC_ARENA_MAX: '2',
  };
  if (service === 'runtime-agent')
    return {
      ...ofEvery,
      POSTERN_PLATFORM_HOME: platformHome(home),
      POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: 'true',
      POSTERN_PLATFORM_POSTGRES_BIN: dirname(findPostgres().postgres),
    };
  const everywhere = {
    ...ofEvery,
    POSTERN_DATABASE_URL: wiring.databaseUrl(service),
    POSTERN_PUBLIC_URL: wiring.baseUrl,
    POSTERN_LINK_SECRETS: secrets.linkSecret,
  };
  switch (service) {
    case 'api-gateway':
      return { ...everywhere, POSTERN_HOST: '127.0.0.1', POSTERN_PORT: String(wiring.port) };
    case 'platform-management':
      return {
        ...everywhere,
        POSTERN_OPERATOR_EMAIL: operator.email,
        POSTERN_OPERATOR_PASSWORD: operator.password,
        POSTERN_ENCRYPTION_KEYS: secrets.encryptionKey,
        POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: 'true',
      };
    case 'email-send':
      return {
        ...everywhere,
        POSTERN_ENCRYPTION_KEYS: secrets.encryptionKey,
        POSTERN_BOUNCE_DOMAIN: 'bounces.postern.test',
        POSTERN_SANDBOX_DOMAIN: 'sandbox.postern.test',
        POSTERN_SANDBOX_DKIM_KEY: secrets.sandboxDkimKey,
        POSTERN_SPF_HOST: 'spf.postern.test',
        POSTERN_RELAYS: `smtp://127.0.0.1:${wiring.relayPort}?tls=none`,
        POSTERN_DNS_SERVERS: wiring.dnsAddress,
        POSTERN_SIMULATOR_DOMAIN: 'simulator.test',
      };
    case 'delivery-tracking':
      return {
        ...everywhere,
        POSTERN_BOUNCE_DOMAIN: 'bounces.postern.test',
        POSTERN_BOUNCE_SMTP_HOST: '127.0.0.1',
        POSTERN_BOUNCE_SMTP_PORT: String(wiring.bouncePort),
        // The mail simulator reports complaints from this machine, unsigned.
        POSTERN_COMPLAINT_CLIENTS: '127.0.0.1',
      };
    case 'webhook-dispatch':
      return {
        ...everywhere,
        POSTERN_ENCRYPTION_KEYS: secrets.encryptionKey,
        POSTERN_WEBHOOKS_ALLOW_PRIVATE: process.env['POSTERN_WEBHOOKS_ALLOW_PRIVATE'] ?? 'true',
      };
  }
};
