import { type Model, mailNamesOf, needsDatabase, type Service } from './model.js';
import { PORTS } from './places.js';
import { secretsOf } from './secrets.js';
import { ONE_SERVER, type Site } from './site.js';

type Settings = Readonly<Record<string, string>>;

const databaseOf = (service: Service, site: Site): Settings => {
  const url = needsDatabase(service) ? site.databaseUrl(service) : undefined;
  return url === undefined ? {} : { POSTERN_DATABASE_URL: url };
};

const ofEvery = (service: Service, site: Site): Settings => {
  const { host, port } = site.health(service);
  return {
    POSTERN_NATS_SERVERS: site.natsServers,
    POSTERN_NATS_CA_FILE: site.natsCaFile,
    POSTERN_NATS_USER: service,
    POSTERN_HTTP_HOST: host,
    POSTERN_HTTP_PORT: String(port),
  };
};

const ownSettings = (service: Service, model: Model, site: Site): Settings => {
  const { configuration } = model;
  const { host, apps, mail, operator, retention, databases } = configuration;
  const names = mailNamesOf(configuration);
  switch (service) {
    case 'api-gateway':
      return {
        POSTERN_PUBLIC_URL: `https://${host}`,
        POSTERN_HOST: site.behindCaddy,
        POSTERN_PORT: String(PORTS.gateway),
        POSTERN_TRUSTED_PROXIES: site.caddyOf(service),
        // Longer than Caddy keeps idle connections.
        POSTERN_CONNECTION_DRAIN_MS: '2000',
      };
    case 'email-send':
      return {
        POSTERN_PUBLIC_URL: `https://${host}`,
        POSTERN_BOUNCE_DOMAIN: names.bounces,
        POSTERN_SANDBOX_DOMAIN: names.sandbox,
        POSTERN_SPF_HOST: names.spf,
        POSTERN_BODY_RETENTION_DAYS: String(retention.bodies),
        POSTERN_MESSAGE_RETENTION_DAYS: String(retention.messages),
        ...(mail.send === 'direct' ? { POSTERN_RELAYS: `smtp://${site.relay}?tls=none` } : {}),
      };
    case 'delivery-tracking':
      return {
        POSTERN_BOUNCE_DOMAIN: names.bounces,
        POSTERN_BOUNCE_SMTP_HOST: site.everyAddress(model),
        POSTERN_BOUNCE_SMTP_PORT: String(PORTS.bounces),
        POSTERN_MESSAGE_RETENTION_DAYS: String(retention.messages),
        POSTERN_BOUNCE_NOTICE_RETENTION_DAYS: String(retention.notices),
      };
    case 'webhook-dispatch':
      return { POSTERN_DELIVERY_RETENTION_DAYS: String(retention.deliveries) };
    case 'platform-management':
      return {
        POSTERN_OPERATOR_EMAIL: operator,
        POSTERN_PLATFORM_TLS_PROXY: `${site.caddyOf(service)}:443`,
      };
    case 'runtime-agent':
      return {
        POSTERN_PLATFORM_HOME: site.platformHome,
        ...(databases.external_host === undefined ? {} : { POSTERN_PLATFORM_DATABASE_HOST: databases.external_host }),
      };
    case 'load-balancer':
      return {
        POSTERN_PLATFORM_HOME: site.platformHome,
        ...(apps === undefined ? {} : { POSTERN_PLATFORM_DOMAIN: apps }),
        POSTERN_PLATFORM_BALANCER_HOST: site.behindCaddy,
        POSTERN_PLATFORM_BALANCER_PORT: String(PORTS.balancer),
        POSTERN_PLATFORM_BALANCER_TRUSTED_PROXIES: site.caddyOf(service),
      };
    default:
      return {};
  }
};

const derivedOf = (service: Service, model: Model, site: Site): Settings => ({
  ...(service === 'load-balancer' ? {} : ofEvery(service, site)),
  ...databaseOf(service, site),
  ...ownSettings(service, model, site),
  ...site.more(service, model),
});

/** The settings that `advanced` cannot change, secrets included. */
export const derivedSettings = (service: Service, model: Model, site: Site = ONE_SERVER): readonly string[] => [
  ...Object.keys(derivedOf(service, model, site)),
  ...Object.keys(secretsOf(service, model.configuration)),
];

/** The settings of a service, without its secrets. */
export const environmentOf = (service: Service, model: Model, site: Site = ONE_SERVER): Settings => ({
  NODE_ENV: 'production',
  // Without a limit, glibc allocates an arena for each thread, tens of megabytes in an idle service.
  MALLOC_ARENA_MAX: '2',
  ...derivedOf(service, model, site),
  ...Object.fromEntries(
    Object.entries(model.configuration.advanced[service] ?? {}).map(([name, value]) => [name, String(value)]),
  ),
});
