import { environmentOf } from './environment.js';
import {
  hasSocket,
  hasSpare,
  type Model,
  type RenderedFile,
  type Service,
  servicesOf,
  socketOf,
  spareOf,
  sparePortOf,
  unitOf,
  userOf,
  WITH_DATABASE,
} from './model.js';
import { NODE, PLACES, PORTS } from './places.js';
import { secretsOf } from './secrets.js';

/** A section of a unit: names with one value, or one line for each value. */
type Section = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const linesOf = (section: Section): string[] =>
  Object.entries(section).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map(each => `${name}=${each}`);
  });

/** The text of a unit file. */
export const unitText = (sections: Readonly<Record<string, Section>>): string =>
  `# Rendered from ${PLACES.configuration} by "postern config apply".\n${Object.entries(sections)
    .map(([name, section]) => [`[${name}]`, ...linesOf(section)].join('\n'))
    .join('\n\n')}\n`;

/** A unit file; a change of it restarts the unit. */
export const unit = (name: string, sections: Readonly<Record<string, Section>>): RenderedFile => ({
  path: `${PLACES.systemd}/${name}`,
  text: unitText(sections),
  units: { [name]: 'restart' },
});

/** systemd expands % and treats quotes and backslashes. */
export const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;

/** What every supervised process has in common. A process that ended is started again, without a limit. */
export const SUPERVISED: Section = {
  Restart: 'always',
  RestartSec: 1,
  LimitNOFILE: 65_536,
  LogNamespace: 'postern',
};
export const RESTARTED_FOR_EVER: Section = { StartLimitIntervalSec: 0 };

/** The hardening of a process that only reads its files and uses the network. */
export const HARDENED: Section = {
  NoNewPrivileges: 'yes',
  ProtectSystem: 'strict',
  ProtectHome: 'yes',
  PrivateTmp: 'yes',
  PrivateDevices: 'yes',
  ProtectClock: 'yes',
  ProtectHostname: 'yes',
  ProtectKernelLogs: 'yes',
  ProtectKernelModules: 'yes',
  ProtectKernelTunables: 'yes',
  ProtectControlGroups: 'yes',
  ProtectProc: 'invisible',
  RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  RestrictNamespaces: 'yes',
  RestrictRealtime: 'yes',
  RestrictSUIDSGID: 'yes',
  LockPersonality: 'yes',
  RemoveIPC: 'yes',
  SystemCallArchitectures: 'native',
  SystemCallFilter: ['@system-service', '~@privileged @resources'],
  SystemCallErrorNumber: 'EPERM',
  UMask: '0077',
};

/** Without the capability to use ports below 1024, which only SMTP submission needs. */
const capabilitiesOf = (service: Service): Section =>
  service === 'api-gateway'
    ? { CapabilityBoundingSet: 'CAP_NET_BIND_SERVICE', AmbientCapabilities: 'CAP_NET_BIND_SERVICE' }
    : { CapabilityBoundingSet: '' };

/** Memory above which the kernel ends a service: a leak must not take the memory of PostgreSQL. */
const memoryMaxOf = ({ machine }: Model): string => `${Math.max(384, Math.floor(machine.memoryMib / 4))}M`;

/** Web services outlive both processes, so systemd must end only the process that it started. */
const OUTLIVED: Section = { KillMode: 'process', TimeoutStopSec: 30 };

const entryPointOf = (service: Service): string => `${PLACES.release}/apps/${service}/dist/bundle.js`;

const protectionOf = (service: Service, model: Model): Section => {
  // The agent creates users, namespaces, control groups and mounts for web services.
  if (service === 'runtime-agent') return { ...OUTLIVED, Delegate: 'yes', OOMScoreAdjust: -500, TasksMax: 'infinity' };
  // Its workers share the folder of the agent, and each has many connections.
  if (service === 'load-balancer')
    return {
      ...HARDENED,
      ...capabilitiesOf(service),
      ...OUTLIVED,
      ReadWritePaths: PLACES.balancer,
      LimitNOFILE: 524_288,
    };
  return { ...HARDENED, ...capabilitiesOf(service), MemoryMax: memoryMaxOf(model), TimeoutStopSec: 30 };
};

const afterOf = (service: Service): string =>
  [
    'network-online.target',
    ...(service === 'load-balancer' ? ['postern-runtime-agent.service'] : [unitOf('nats')]),
    ...(WITH_DATABASE.some(each => each === service) ? [unitOf('postgresql')] : []),
    ...(hasSocket(service) ? [socketOf(service)] : []),
  ].join(' ');

/** The spare has other ports: reports wait in the socket of the service. */
const spareSettings = (service: Service): Readonly<Record<string, string>> => ({
  POSTERN_HTTP_PORT: String(sparePortOf(service)),
  ...(service === 'delivery-tracking' ? { POSTERN_BOUNCE_SMTP_PORT: '0' } : {}),
});

const serviceUnit = (service: Service, model: Model, isSpare = false): RenderedFile => {
  const secrets = Object.entries(secretsOf(service, model.configuration));
  const settings = [
    ...Object.entries({ ...environmentOf(service, model), ...(isSpare ? spareSettings(service) : {}) }).map(
      ([name, value]) => quoted(`${name}=${value}`),
    ),
    ...secrets.map(([name, secret]) => `${name}_FILE=%d/${secret}`),
    `NODE_COMPILE_CACHE=/var/cache/postern-${service}`,
  ];
  const name = isSpare ? spareOf(service) : unitOf(service);
  const rendered = unit(name, {
    Unit: {
      Description: `Postern ${service}${isSpare ? ', while it is replaced' : ''}`,
      After: afterOf(service),
      Wants: 'network-online.target',
      PartOf: 'postern.target',
      ...(hasSocket(service) && !isSpare ? { Requires: socketOf(service) } : {}),
      ...RESTARTED_FOR_EVER,
    },
    Service: {
      User: userOf(service),
      ExecStart: `${NODE} --max-semi-space-size=16 ${entryPointOf(service)}`,
      WorkingDirectory: PLACES.release,
      CacheDirectory: `postern-${service}`,
      Environment: settings,
      LoadCredential: [...new Set(secrets.map(([, secret]) => `${secret}:${PLACES.secrets}/${secret}`))],
      ...SUPERVISED,
      ...protectionOf(service, model),
    },
    ...(isSpare ? {} : { Install: { WantedBy: 'postern.target' } }),
  });
  return isSpare ? { ...rendered, units: {} } : rendered;
};

/**
 * systemd keeps a port, so that connections wait while the process is replaced. Postfix would send a report whose connection is
 * refused only after five minutes again.
 */
const socket = (service: Service, description: string, address: string): RenderedFile =>
  unit(socketOf(service), {
    Unit: { Description: description, PartOf: 'postern.target', ...RESTARTED_FOR_EVER },
    Socket: { ListenStream: address, Backlog: 4_096, NoDelay: 'yes' },
    Install: { WantedBy: 'postern.target' },
  });

/** At shutdown, ends web services before systemd kills what is left, so that they complete their requests. */
const stopInstances = (): RenderedFile =>
  unit('postern-instances.service', {
    Unit: {
      Description: 'Web services of Postern',
      Before: 'postern-runtime-agent.service postern-load-balancer.service',
      ...RESTARTED_FOR_EVER,
    },
    Service: {
      Type: 'oneshot',
      RemainAfterExit: 'yes',
      ExecStart: '/bin/true',
      ExecStop: `${NODE} ${PLACES.release}/apps/runtime-agent/dist/bundle-stop-everything.js ${PLACES.platform}`,
      TimeoutStopSec: 60,
      LogNamespace: 'postern',
    },
    Install: { WantedBy: 'multi-user.target' },
  });

/** The units of the services. */
export const serviceUnits = (model: Model): RenderedFile[] => [
  socket('api-gateway', 'Port of the gateway', `127.0.0.1:${PORTS.gateway}`),
  socket(
    'delivery-tracking',
    'Port for reports about mail',
    `${model.machine.ipv6 ? '[::]' : '0.0.0.0'}:${PORTS.bounces}`,
  ),
  ...servicesOf(model.configuration).map(service => serviceUnit(service, model)),
  ...servicesOf(model.configuration)
    .filter(hasSpare)
    .map(service => serviceUnit(service, model, true)),
  ...(model.configuration.apps === undefined ? [] : [stopInstances()]),
];
