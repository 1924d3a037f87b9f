import { natsUsersFile } from '@postern/contracts/nats-permissions';
import { stringify } from 'yaml';
import {
  CONFINED,
  caddy,
  type Definition,
  fileOf,
  NATS,
  NATS_CERTIFICATES,
  nats,
  postfix,
  postgres,
} from './compose-servers.js';
import {
  ADDRESSED,
  CONTAINER_PLACES,
  CONTAINERS,
  databaseSecretOf,
  NETWORK_OF_WEB_SERVICES,
  networksOf,
} from './containers.js';
import { environmentOf } from './environment.js';
import { type Model, needsDatabase, OF_THE_PLATFORM, type Service, servicesOf } from './model.js';
import { PLACES, PORTS } from './places.js';
import { secretsOf } from './secrets.js';
import { caddyfile, natsConf } from './server-files.js';

/** The image of each service, with its digest. */
export type Images = Readonly<Record<string, string>>;

/** Files of the release that containers need as they are, by their path in it. */
export const COPIED = ['docker/pg_hba.conf', 'docker/postgres-roles.sh'] as const;
export const COPIED_FOR_POSTFIX = ['docker/postfix/Dockerfile', 'docker/postfix/start'] as const;
/** Files of the release that are run in a container. */
const EXECUTABLE = ['docker/postfix/start'];
export type CopiedFiles = Readonly<Record<string, string>>;

export interface ComposeFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

const file = (path: string, text: string): ComposeFile => ({
  path,
  text,
  mode: EXECUTABLE.includes(path) ? 0o755 : 0o644,
});

const HEAD = `# Rendered from ${PLACES.configuration} by "postern config compose". Run it again instead of changing this file.\n`;

/** The secrets of a service, by the setting whose file they are. */
export const containerSecretsOf = (service: Service, { configuration }: Model): Readonly<Record<string, string>> => ({
  ...secretsOf(service, configuration),
  ...databaseSecretOf(service),
});

const inNetworkOfWebServices = { network_mode: `service:${NETWORK_OF_WEB_SERVICES}` };

const runsWebServices: Definition = {
  ...inNetworkOfWebServices,
  // Web services are processes of this container; an init process reaps those without a parent.
  init: true,
  volumes: [NATS_CERTIFICATES, `platform:${CONTAINER_PLACES.platform}`],
};

/** Reaches the ports of web services in the network of the agent. */
const balances: Definition = {
  ...inNetworkOfWebServices,
  depends_on: { [NETWORK_OF_WEB_SERVICES]: { condition: 'service_started' } },
  healthcheck: { disable: true },
  ulimits: { nofile: 524_288 },
  volumes: [`platform:${CONTAINER_PLACES.platform}`],
};

const PUBLISHED: Readonly<Partial<Record<Service, readonly string[]>>> = {
  'delivery-tracking': [`25:${PORTS.bounces}`],
};

const serviceContainer = (service: Service, model: Model, images: Images): Definition => {
  const secrets = Object.entries(containerSecretsOf(service, model));
  return {
    ...CONFINED,
    image: images[service],
    depends_on: {
      ...(needsDatabase(service) ? { 'postgres-roles': { condition: 'service_completed_successfully' } } : {}),
      nats: { condition: 'service_started' },
    },
    environment: {
      ...environmentOf(service, model, CONTAINERS),
      ...Object.fromEntries(secrets.map(([name, secret]) => [`${name}_FILE`, fileOf(secret)])),
    },
    ...(secrets.length > 0 ? { secrets: [...new Set(secrets.map(([, secret]) => secret))] } : {}),
    mem_limit: `${Math.max(384, Math.floor(model.machine.memoryMib / 4))}m`,
    ulimits: { nofile: 65_536 },
    stop_grace_period: '40s',
    ...(PUBLISHED[service] ? { ports: PUBLISHED[service] } : {}),
    volumes: [NATS_CERTIFICATES],
    ...(service === 'load-balancer' ? balances : {}),
    ...(service === 'runtime-agent' ? { ...runsWebServices, mem_limit: undefined } : {}),
    ...(OF_THE_PLATFORM.includes(service) ? {} : { networks: networksOf(service, model) }),
  };
};

/**
 * Has only the network of the agent and the load balancer. With the network of the agent itself, the load balancer would lose it
 * whenever the agent ends. The image rarely changes.
 */
const networkOfWebServices: Definition = {
  ...CONFINED,
  image: NATS,
  init: true,
  user: '10001:10001',
  entrypoint: ['sleep', 'infinity'],
  networks: ['tenants'],
};

/** The commands for administrators, with their own user of NATS: docker compose run --rm operator doctor. */
const operator = (images: Images): Definition => ({
  ...CONFINED,
  restart: 'no',
  image: images['email-send'],
  profiles: ['operator'],
  networks: ['back'],
  entrypoint: ['node', 'postern.js'],
  environment: {
    POSTERN_NATS_SERVERS: CONTAINERS.natsServers,
    POSTERN_NATS_CA_FILE: CONTAINERS.natsCaFile,
    POSTERN_NATS_USER: 'operator',
    POSTERN_NATS_PASSWORD_FILE: fileOf('nats-operator'),
  },
  secrets: ['nats-operator'],
  volumes: [NATS_CERTIFICATES],
});

const addressed = (subnet: string): Definition => ({ ipam: { config: [{ subnet }] } });

/** Compose replaces variables in every value, which none of these has. */
const withoutVariables = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (Array.isArray(value)) return value.map(withoutVariables);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutVariables(each)]));
};

const namesIn = (services: Readonly<Record<string, Definition>>, field: string): readonly string[] =>
  [
    ...new Set(
      Object.values(services).flatMap(service => {
        const used = service[field] as readonly string[] | Readonly<Record<string, unknown>> | undefined;
        return Array.isArray(used) ? used : Object.keys(used ?? {});
      }),
    ),
  ].sort();

const NETWORKS: Readonly<Record<string, Definition>> = {
  // No way to the internet: databases and brokers.
  back: { internal: true },
  front: addressed(ADDRESSED.front.subnet),
  internet: {},
  mail: {},
  tenants: addressed(ADDRESSED.tenants.subnet),
};

const isNamedVolume = (volume: string): boolean => !/^[./]/.test(volume);

/** compose.yaml and the files next to it, without secrets. A pure function. @param copied the texts of `COPIED` */
export const renderCompose = (model: Model, images: Images, copied: CopiedFiles): readonly ComposeFile[] => {
  const { apps, mail } = model.configuration;
  const caddyText = `${HEAD}${caddyfile(model, CONTAINERS).trim()}\n`;
  const natsText = `${HEAD}${natsConf({ host: '0.0.0.0', tls: CONTAINER_PLACES.natsTls, data: CONTAINER_PLACES.natsData }).trim()}\n`;
  // An included file sees only the variables that it defines or includes itself.
  const usersText = `include ../run/secrets/nats-passwords\n${natsUsersFile()}`;
  const services: Readonly<Record<string, Definition>> = {
    ...postgres(copied['docker/pg_hba.conf'] ?? '', copied['docker/postgres-roles.sh'] ?? ''),
    ...nats(images, natsText, usersText, apps !== undefined),
    caddy: caddy(model, caddyText),
    ...(apps === undefined ? {} : { [NETWORK_OF_WEB_SERVICES]: networkOfWebServices }),
    ...(mail.send === 'direct'
      ? {
          postfix: postfix(
            model,
            COPIED_FOR_POSTFIX.map(path => copied[path] ?? ''),
          ),
        }
      : {}),
    ...Object.fromEntries(
      servicesOf(model.configuration).map(service => [service, serviceContainer(service, model, images)]),
    ),
    operator: operator(images),
  };
  const volumes = namesIn(services, 'volumes')
    .filter(isNamedVolume)
    .map(volume => volume.split(':')[0] ?? '');
  const document = {
    name: 'postern',
    services,
    networks: Object.fromEntries(namesIn(services, 'networks').map(name => [name, NETWORKS[name] ?? {}])),
    volumes: Object.fromEntries(volumes.map(volume => [volume, {}])),
    secrets: Object.fromEntries(namesIn(services, 'secrets').map(name => [name, { file: `./secrets/${name}` }])),
  };
  return [
    file(
      'compose.yaml',
      HEAD + stringify(withoutVariables(document), { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' }),
    ),
    file('Caddyfile', caddyText),
    file('nats.conf', natsText),
    file('nats-users.conf', usersText),
    ...Object.entries(copied).map(([path, text]) => file(path, text)),
  ];
};
