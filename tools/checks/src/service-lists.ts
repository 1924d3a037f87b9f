import type { Service } from '../../setup/services.mjs';
import { entries, lines, type ServiceList, strings } from './service-list.js';

type Chosen = (service: Service) => boolean;

const every: Chosen = () => true;
const hosted: Chosen = service => service.hosted;
const withDatabase: Chosen = service => service.database;
const sealing: Chosen = ({ secrets }) => secrets.includes('encryption-keys');
const hostedExcept =
  (...names: readonly string[]): Chosen =>
  service =>
    service.hosted && !names.includes(service.name);

const snake = (name: string): string => name.replaceAll('-', '_');

const UMBRELLA = 'k8s/charts/postern';
const template = (name: string): string => `${UMBRELLA}/templates/${name}.yaml`;

/** The names in a NetworkPolicy: `values: [a, b]`. */
const inPolicy = (file: string, of: Chosen): ServiceList =>
  entries({
    file,
    after: /values: \[/,
    entry: /\s*([a-z0-9-]+),?/,
    write: name => ` ${name}`,
    of,
    separator: ',',
  });

const inCode: readonly ServiceList[] = [
  strings({ file: 'libs/contracts/src/service-name.ts', after: /SERVICE_NAMES = \[/, of: withDatabase }),
  strings({ file: 'libs/testing/src/service-clusters.ts', after: /SERVICES_WITH_DATABASE = \[/, of: withDatabase }),
  strings({ file: 'tools/local-start/src/services.ts', after: /const SERVICES = \[/, of: hosted }),
  strings({ file: 'e2e/faults/src/system/starter-options.ts', after: /const SERVICES = \[/, of: hosted }),
  strings({ file: 'tools/one-server/src/rendering/model.ts', after: /const SERVICES = \[/, of: every }),
  strings({ file: 'tools/one-server/src/rendering/model.ts', after: /const WITH_DATABASE = \[/, of: withDatabase }),
];

const RELEASED_BESIDES = ['sdk', 'command'];

const inTheWorkspace: readonly ServiceList[] = [
  strings({ file: 'nx.json', after: /"release": \{\s*"projects": \[/, of: every, others: RELEASED_BESIDES }),
  strings({
    file: 'tools/releases/package.json',
    after: /"implicitDependencies": \[/,
    of: every,
    others: RELEASED_BESIDES,
  }),
  strings({
    file: 'tools/local-start/package.json',
    after: /"implicitDependencies": \[/,
    of: every,
    others: ['mail-simulator'],
  }),
  entries({
    file: 'tsconfig.json',
    after: /"path": "\.\/e2e\/faults"\s*\},/,
    entry: /\s*\{\s*"path": "\.\/apps\/([a-z0-9-]+)"\s*\},?/,
    write: name => ` { "path": "./apps/${name}" }`,
    of: every,
    others: ['dashboard', 'documentation'],
    separator: ',',
  }),
];

const inDocker: readonly ServiceList[] = [
  entries({
    file: 'docker/Dockerfile',
    after: /\n\n(?=FROM system AS system-of-)/,
    entry: /FROM system(?:-agent)? AS system-of-([a-z0-9-]+)\n/,
    write: name => `FROM system AS system-of-${name}\n`,
    of: every,
  }),
  ...['docker/postgres-roles.sh', `${UMBRELLA}/files/postgres-roles.sh`].map(file =>
    lines({ file, after: /for service in/, write: name => ` ${snake(name)}`, of: withDatabase }),
  ),
];

const quotedWord = (name: string): string => ` "${name}"`;

const inCharts: readonly ServiceList[] = [
  strings({ file: 'k8s/charts/service/values.schema.json', after: /"app": \{\s*"enum": \[/, of: hosted }),
  entries({
    file: `${UMBRELLA}/values.schema.json`,
    after: /"nats": \{ "\$ref": "#\/\$defs\/broughtAlong" \}\s*\}\s*\},/,
    entry: /\s*"([a-z0-9-]+)": \{ "type": "object" \},?/,
    write: name => ` "${name}": { "type": "object" }`,
    of: hosted,
    separator: ',',
  }),
  lines({
    file: `${UMBRELLA}/Chart.yaml`,
    after: /dependencies:\n/,
    write: name => `  - name: postern-service
    alias: ${name}
    version: 0.1.0
    repository: file://../service
    condition: ${name}.enabled
`,
    of: hosted,
  }),
  lines({
    file: template('nats'),
    after: /\$users := list/,
    write: quotedWord,
    of: hosted,
    others: ['operator'],
  }),
  inPolicy(template('nats'), hosted),
  lines({ file: template('postgresql'), after: /\$services := list/, write: quotedWord, of: withDatabase }),
  inPolicy(template('postgresql'), withDatabase),
  lines({ file: template('trial-secrets'), after: /\$encrypted := list/, write: quotedWord, of: sealing }),
  lines({
    file: 'k8s/examples/monitoring.yaml',
    after: /kubernetes\.io\/metadata\.name: monitoring \}\n/,
    write: name => `${name}: *scraped\n`,
    of: hostedExcept('api-gateway'),
  }),
  lines({
    file: 'k8s/examples/trial.yaml',
    after: /migrations: .*\n/,
    write: name => `${name}: *small\n`,
    of: hostedExcept('api-gateway', 'runtime-agent', 'delivery-tracking'),
  }),
];

const inAlerts = entries({
  file: 'observability/prometheus/alerts.yaml',
  after: /alert: PosternSilent\n\s+expr: \|\n/,
  entry: /\s+(?:or )?absent\(process_cpu_time_total\{service_name="([a-z0-9-]+)"\}\)\n/,
  write: name => `            or absent(process_cpu_time_total{service_name="${name}"})\n`,
  of: hosted,
});

/** Every list of services that a program cannot read from `service.json`. `node tools/checks/services.mjs` writes them. */
export const SERVICE_LISTS: readonly ServiceList[] = [...inCode, ...inTheWorkspace, ...inDocker, ...inCharts, inAlerts];
