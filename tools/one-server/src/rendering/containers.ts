import { type Model, mailNamesOf, needsDatabase, type Service } from './model.js';
import { PORTS } from './places.js';
import type { Site } from './site.js';

export const CONTAINER_PLACES = {
  secrets: '/run/secrets',
  natsTls: '/nats-tls',
  natsData: '/data',
  caddy: '/data',
  platform: '/var/lib/postern',
} as const;

export const BOUNCES = `delivery-tracking:${PORTS.bounces}`;

/** Networks in which Caddy has a known address, so that its headers are trusted and nobody else's. */
export const ADDRESSED = {
  front: { subnet: '10.212.77.0/24', caddy: '10.212.77.10' },
  tenants: { subnet: '10.212.78.0/24', caddy: '10.212.78.10' },
} as const;

/** The container that has the network of web services, for the agent and the load balancer. */
export const NETWORK_OF_WEB_SERVICES = 'web-services';

/** The networks of a service. Code of web services is in `tenants` only, with NATS and Caddy, through the container above. */
export const networksOf = (service: Service, { configuration: { mail } }: Model): readonly string[] => {
  const outside = mail.send === 'direct' ? 'mail' : 'internet';
  switch (service) {
    case 'email-send':
    case 'delivery-tracking':
      return ['back', outside];
    case 'api-gateway':
      return ['back', 'front'];
    case 'platform-management':
      return ['back', 'front', 'internet'];
    default:
      return ['back', 'internet'];
  }
};

/** Containers, which find each other by name. */
export const CONTAINERS: Site = {
  natsServers: `tls://nats:${PORTS.nats}`,
  natsCaFile: `${CONTAINER_PLACES.natsTls}/ca.crt`,
  health: () => ({ host: '0.0.0.0', port: 9090 }),
  // It contains the password, and is a secret.
  databaseUrl: () => undefined,
  behindCaddy: '0.0.0.0',
  caddyOf: service => (service === 'load-balancer' ? ADDRESSED.tenants.caddy : ADDRESSED.front.caddy),
  everyAddress: () => '0.0.0.0',
  gateway: `api-gateway:${PORTS.gateway}`,
  balancer: `${NETWORK_OF_WEB_SERVICES}:${PORTS.balancer}`,
  relay: 'postfix:25',
  platformHome: CONTAINER_PLACES.platform,
  caddyStorage: CONTAINER_PLACES.caddy,
  caddyAdmin: 'off',
  more: () => ({}),
};

/** The setting whose secret contains the password of the database. */
export const databaseSecretOf = (service: Service): Readonly<Record<string, string>> =>
  needsDatabase(service) ? { POSTERN_DATABASE_URL: `database-url-${service}` } : {};

/** The settings of Postfix (docker/postfix/start). */
export const postfixEnvironment = ({ configuration }: Model): Readonly<Record<string, string>> => {
  const names = mailNamesOf(configuration);
  return {
    POSTFIX_HOSTNAME: names.mx,
    POSTFIX_BOUNCE_DOMAIN: names.bounces,
    POSTFIX_BOUNCE_LISTENER: BOUNCES,
  };
};
