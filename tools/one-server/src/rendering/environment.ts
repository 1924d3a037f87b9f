import { healthPortOf, type Model, mailNamesOf, type Service, WITH_DATABASE } from './model.js';
import { PLACES, PORTS } from './places.js';
import { secretsOf } from './secrets.js';

type Settings = Readonly<Record<string, string>>;

const roleOf = (service: string): string => `postern_${service.replaceAll('-', '_')}`;

const databaseOf = (service: Service): Settings =>
  WITH_DATABASE.some(each => each === service)
    ? {
        POSTERN_DATABASE_URL: `postgres://${roleOf(service)}@localhost/${roleOf(service)}?host=${PLACES.postgresSocket}`,
      }
    : {};

const ofEvery = (service: Service): Settings => ({
  POSTERN_NATS_SERVERS: `tls://127.0.0.1:${PORTS.nats}`,
  POSTERN_NATS_CA_FILE: `${PLACES.natsTls}/ca.crt`,
  POSTERN_NATS_USER: service,
  POSTERN_HTTP_HOST: '127.0.0.1',
  POSTERN_HTTP_PORT: String(healthPortOf(service)),
});

const ownSettings = (service: Service, { configuration, machine }: Model): Settings => {
  const { host, apps, mail, operator, retention } = configuration;
  const names = mailNamesOf(configuration);
  const everyAddress = machine.ipv6 ? '::' : '0.0.0.0';
  const platform: Settings = {
    POSTERN_PLATFORM_HOME: PLACES.platform,
    ...(apps === undefined ? {} : { POSTERN_PLATFORM_DOMAIN: apps }),
  };
  switch (service) {
    case 'api-gateway':
      return {
        POSTERN_PUBLIC_URL: `https://${host}`,
        POSTERN_HOST: '127.0.0.1',
        POSTERN_PORT: String(PORTS.gateway),
        POSTERN_TRUSTED_PROXIES: '127.0.0.1',
        // Longer than Caddy keeps idle connections.
        POSTERN_CONNECTION_DRAIN_MS: '2000',
        POSTERN_SUBMISSION_HOST: everyAddress,
        POSTERN_SUBMISSION_PORT: String(PORTS.submission),
        POSTERN_SUBMISSION_TLS_PORT: String(PORTS.submissionTls),
        POSTERN_SUBMISSION_NAME: host,
        POSTERN_SUBMISSION_TLS_CERT_FILE: `${PLACES.submissionTls}/server.crt`,
        POSTERN_SUBMISSION_TLS_KEY_FILE: `${PLACES.submissionTls}/server.key`,
      };
    case 'email-send':
      return {
        POSTERN_PUBLIC_URL: `https://${host}`,
        POSTERN_BOUNCE_DOMAIN: names.bounces,
        POSTERN_SANDBOX_DOMAIN: names.sandbox,
        POSTERN_SPF_HOST: names.spf,
        POSTERN_BODY_RETENTION_DAYS: String(retention.bodies),
        POSTERN_MESSAGE_RETENTION_DAYS: String(retention.messages),
        ...(mail.send === 'direct' ? { POSTERN_RELAYS: `smtp://127.0.0.1:${PORTS.relay}?tls=none` } : {}),
      };
    case 'delivery-tracking':
      return {
        POSTERN_BOUNCE_DOMAIN: names.bounces,
        POSTERN_BOUNCE_SMTP_HOST: everyAddress,
        POSTERN_BOUNCE_SMTP_PORT: String(PORTS.bounces),
        POSTERN_MESSAGE_RETENTION_DAYS: String(retention.messages),
        POSTERN_BOUNCE_NOTICE_RETENTION_DAYS: String(retention.notices),
      };
    case 'webhook-dispatch':
      return { POSTERN_DELIVERY_RETENTION_DAYS: String(retention.deliveries) };
    case 'platform-management':
      return {
        POSTERN_OPERATOR_EMAIL: operator,
        POSTERN_SYSTEM_REPORT_FILE: PLACES.report,
        POSTERN_PLATFORM_TLS_PROXY: '127.0.0.1:443',
      };
    case 'runtime-agent':
      return {
        POSTERN_PLATFORM_HOME: PLACES.platform,
        POSTERN_PLATFORM_POSTGRES_BIN: machine.postgresBin,
        POSTERN_PLATFORM_GATEWAY_ADDRESSES: `127.0.0.1:${PORTS.gateway},127.0.0.1:${PORTS.submission}`,
      };
    case 'load-balancer':
      return {
        ...platform,
        POSTERN_PLATFORM_BALANCER_HOST: '127.0.0.1',
        POSTERN_PLATFORM_BALANCER_PORT: String(PORTS.balancer),
        POSTERN_PLATFORM_BALANCER_TRUSTED_PROXIES: '127.0.0.1',
      };
    default:
      return {};
  }
};

const derivedOf = (service: Service, model: Model): Settings => ({
  ...(service === 'load-balancer' ? {} : ofEvery(service)),
  ...databaseOf(service),
  ...ownSettings(service, model),
});

/** The settings that `advanced` cannot change, secrets included. */
export const derivedSettings = (service: Service, model: Model): readonly string[] => [
  ...Object.keys(derivedOf(service, model)),
  ...Object.keys(secretsOf(service, model.configuration)),
];

/** The settings of a service, without its secrets. */
export const environmentOf = (service: Service, model: Model): Settings => ({
  NODE_ENV: 'production',
  // Without a limit, glibc allocates an arena for each thread, tens of megabytes in an idle service.
  MALLOC_ARENA_MAX: '2',
  ...derivedOf(service, model),
  ...Object.fromEntries(
    Object.entries(model.configuration.advanced[service] ?? {}).map(([name, value]) => [name, String(value)]),
  ),
});
