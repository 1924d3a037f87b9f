/** NATS and PostgreSQL outside the release, under the host names in the documents. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { servicesWithDatabase } from '../../../../tools/setup/services.mjs';
import { ROOT } from '../../tools.mjs';

const { postgresql, nats } = parse(readFileSync(join(ROOT, 'k8s/charts/postern/values.yaml'), 'utf8')).trial;
export const DATABASES = servicesWithDatabase(ROOT);
const NATS_CONFIGURATION = 'max_payload: 52MB\nmax_pending: 256MB\njetstream { store_dir: "/data" }\n';

const namespace = name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** One pod with the host name `<name>-0.<name>` and ephemeral storage. @param {any} parts */
const broker = ({ name, inside, user, container, data, volumes = [] }) => {
  const labels = { app: name };
  const metadata = { name, namespace: inside };
  const mounts = [{ name: 'data', mountPath: data }, ...(container.volumeMounts ?? [])];
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { clusterIP: 'None', selector: labels, ports: container.ports },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: {
        serviceName: name,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsUser: user, runAsGroup: user, fsGroup: user },
            containers: [
              {
                name,
                resources: { requests: { cpu: '50m', memory: '128Mi' } },
                ...container,
                ports: container.ports.map(({ port }) => ({ containerPort: port })),
                volumeMounts: mounts,
              },
            ],
            volumes: [{ name: 'data', emptyDir: {} }, ...volumes],
          },
        },
      },
    },
  ];
};

const natsObjects = () => [
  namespace('messaging'),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'nats', namespace: 'messaging' },
    data: { 'nats.conf': NATS_CONFIGURATION },
  },
  ...broker({
    name: 'nats',
    inside: 'messaging',
    user: 1_000,
    data: '/data',
    container: {
      image: nats.image,
      args: ['--config', '/etc/nats/nats.conf'],
      ports: [{ name: 'nats', port: 4222 }],
      readinessProbe: { tcpSocket: { port: 4222 }, periodSeconds: 1 },
      volumeMounts: [{ name: 'configuration', mountPath: '/etc/nats' }],
    },
    volumes: [{ name: 'configuration', configMap: { name: 'nats' } }],
  }),
];

const roleOf = service => service.replaceAll('-', '_');

const postgresqlObjects = password => [
  namespace('databases'),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'roles', namespace: 'databases' },
    data: { 'roles.sh': readFileSync(join(ROOT, 'k8s/charts/postern/files/postgres-roles.sh'), 'utf8') },
  },
  ...broker({
    name: 'postgresql',
    inside: 'databases',
    user: 999,
    data: '/var/lib/postgresql',
    container: {
      image: postgresql.image,
      env: [
        { name: 'POSTGRES_PASSWORD', value: password },
        { name: 'PGUSER', value: 'postgres' },
        { name: 'POSTERN_DATABASE_PREFIX', value: '' },
        ...DATABASES.map(service => ({
          name: `POSTERN_DATABASE_PASSWORD_${roleOf(service).toUpperCase()}`,
          value: password,
        })),
      ],
      ports: [{ name: 'postgresql', port: 5432 }],
      readinessProbe: { exec: { command: ['pg_isready', '-h', '127.0.0.1'] }, periodSeconds: 2, timeoutSeconds: 5 },
      volumeMounts: [
        { name: 'run', mountPath: '/var/run/postgresql' },
        { name: 'roles', mountPath: '/etc/postern' },
      ],
    },
    volumes: [
      { name: 'run', emptyDir: {} },
      { name: 'roles', configMap: { name: 'roles' } },
    ],
  }),
];

/** @returns {Promise<string>} the password of the service roles, each of which owns the database with its name. */
export const startBrokers = async ({ cluster }) => {
  const password = randomBytes(12).toString('hex');
  cluster.apply(...natsObjects(), ...postgresqlObjects(password));
  await cluster.untilReady('messaging', 'app=nats');
  await cluster.untilReady('databases', 'app=postgresql');
  await cluster.exec('databases', 'postgresql-0', 'sh', '/etc/postern/roles.sh');
  return password;
};

export const databaseUrl = (service, password) =>
  `postgresql://${roleOf(service)}:${password}@postgresql.databases:5432/${roleOf(service)}`;
