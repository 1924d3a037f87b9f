import { createHash } from 'node:crypto';
import type { Images } from './compose.js';
import { ADDRESSED, CONTAINER_PLACES, postfixEnvironment } from './containers.js';
import { type Model, type Service, WITH_DATABASE } from './model.js';
import { PORTS } from './places.js';

const POSTGRES = 'docker.io/library/postgres:18.4';
export const NATS = 'docker.io/library/nats:2.12.12-alpine';
const CADDY = 'docker.io/library/caddy:2.11.9-alpine';

export type Definition = Readonly<Record<string, unknown>>;

/** What every container has in common: no way to get privileges, and a bounded log. */
export const CONFINED: Definition = {
  restart: 'unless-stopped',
  read_only: true,
  tmpfs: ['/tmp'],
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  logging: { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } },
};
/** Runs once, and ends. */
const ONCE: Definition = { ...CONFINED, restart: 'no', network_mode: 'none' };
export const NATS_CERTIFICATES = `nats-tls:${CONTAINER_PLACES.natsTls}:ro`;
const POSTGRES_SOCKET = 'postgres-socket:/var/run/postgresql';

const mounted = (file: string, target: string): string => `./${file}:${target}:ro`;
export const fileOf = (secret: string): string => `${CONTAINER_PLACES.secrets}/${secret}`;
const hashOf = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\0')).digest('hex');
/** A container is created again when a file changes that it reads at its start. */
const readsAtStart = (...texts: readonly string[]): Definition => ({
  labels: { 'postern.files': hashOf(texts) },
});

const passwordVariable = (service: Service): string =>
  `POSTERN_DATABASE_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`;

export const postgres = (hba: string, roles: string): Readonly<Record<string, Definition>> => ({
  postgres: {
    ...CONFINED,
    image: POSTGRES,
    cap_add: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
    networks: ['back'],
    // Only for the initialization of a new cluster; pg_hba.conf controls access.
    environment: { POSTGRES_HOST_AUTH_METHOD: 'trust', POSTGRES_INITDB_ARGS: '--data-checksums' },
    command: ['-c', 'idle_in_transaction_session_timeout=10s', '-c', 'jit=off', '-c', 'hba_file=/etc/pg_hba.conf'],
    volumes: ['postgres:/var/lib/postgresql', POSTGRES_SOCKET, mounted('docker/pg_hba.conf', '/etc/pg_hba.conf')],
    ...readsAtStart(hba),
    shm_size: '256m',
    stop_grace_period: '2m',
    healthcheck: {
      // Over TCP, because the temporary server during initialization listens only on the Unix socket.
      // pg_hba.conf asks every other user for a password; a connection that it rejects would be logged each time.
      test: ['CMD', 'pg_isready', '-h', '127.0.0.1', '-U', 'health'],
      interval: '5s',
      retries: 30,
    },
  },
  // Administers PostgreSQL through its Unix socket, which no other container mounts.
  'postgres-roles': {
    ...ONCE,
    image: POSTGRES,
    depends_on: { postgres: { condition: 'service_healthy' } },
    entrypoint: ['sh', '/postgres-roles.sh'],
    environment: {
      PGUSER: 'postgres',
      ...Object.fromEntries(
        WITH_DATABASE.map(service => [`${passwordVariable(service)}_FILE`, fileOf(`database-${service}`)]),
      ),
    },
    secrets: WITH_DATABASE.map(service => `database-${service}`),
    volumes: [POSTGRES_SOCKET, mounted('docker/postgres-roles.sh', '/postgres-roles.sh')],
    ...readsAtStart(roles),
  },
});

export const nats = (
  images: Images,
  conf: string,
  users: string,
  hasApps: boolean,
): Readonly<Record<string, Definition>> => ({
  // A private authority and the certificate for the name "nats"; a later "up" renews it. Only root can read the keys.
  'nats-certificates': {
    ...ONCE,
    image: images['email-send'],
    user: '0',
    entrypoint: ['node', 'postern.js', 'certificates', 'create', CONTAINER_PLACES.natsTls, 'nats'],
    volumes: [`nats-tls:${CONTAINER_PLACES.natsTls}`],
  },
  nats: {
    ...CONFINED,
    image: NATS,
    depends_on: { 'nats-certificates': { condition: 'service_completed_successfully' } },
    command: ['--config', '/etc/nats.conf'],
    networks: ['back', ...(hasApps ? ['tenants'] : [])],
    secrets: ['nats-passwords'],
    volumes: [
      `nats:${CONTAINER_PLACES.natsData}`,
      NATS_CERTIFICATES,
      mounted('nats.conf', '/etc/nats.conf'),
      mounted('nats-users.conf', '/etc/nats-users.conf'),
    ],
    ...readsAtStart(conf, users),
    stop_grace_period: '30s',
    // Unhealthy if JetStream is disabled; only a restart enables it again: docker compose restart nats.
    healthcheck: {
      test: [
        'CMD',
        'wget',
        '-q',
        '-T',
        '3',
        '-O',
        '/dev/null',
        `http://127.0.0.1:${PORTS.natsMonitoring}/healthz?js-enabled-only=true`,
      ],
      interval: '5s',
      timeout: '5s',
      start_period: '60s',
    },
  },
});

export const caddy = ({ configuration: { apps, acme } }: Model, text: string): Definition => ({
  ...CONFINED,
  image: CADDY,
  cap_add: ['NET_BIND_SERVICE'],
  environment: { XDG_CONFIG_HOME: '/tmp', XDG_DATA_HOME: CONTAINER_PLACES.caddy },
  command: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
  networks: {
    front: { ipv4_address: ADDRESSED.front.caddy },
    ...(apps === undefined ? {} : { tenants: { ipv4_address: ADDRESSED.tenants.caddy } }),
  },
  ports: ['80:80', '443:443', '443:443/udp'],
  volumes: [
    `caddy:${CONTAINER_PLACES.caddy}`,
    mounted('Caddyfile', '/etc/caddy/Caddyfile'),
    ...(acme.trust === undefined ? [] : [`${acme.trust}:${acme.trust}:ro`]),
  ],
  ...readsAtStart(text),
  stop_grace_period: '20s',
});

/** Built on the machine from the package of Debian, because it has no published image. @param files its Dockerfile and its start */
export const postfix = (model: Model, files: readonly string[]): Definition => ({
  ...CONFINED,
  // Built again when a release changes the files: Compose builds only what is missing.
  image: `postern-postfix:${hashOf(files).slice(0, 12)}`,
  build: { context: '.', dockerfile: 'docker/postfix/Dockerfile' },
  // Its start writes main.cf.
  read_only: false,
  cap_add: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
  environment: postfixEnvironment(model),
  // Postfix relays for every client that can connect.
  networks: ['mail'],
  volumes: ['postfix:/var/spool/postfix'],
  stop_grace_period: '20s',
});
