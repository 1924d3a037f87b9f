import type { Configuration } from '../configuration/schema.js';

/** What rendering has to know about the machine. */
export interface Machine {
  /** Folder with initdb, postgres and pg_basebackup. */
  readonly postgresBin: string;
  readonly memoryMib: number;
  readonly ipv6: boolean;
  /** Ports of the SSH server, which the firewall keeps open. */
  readonly sshPorts: readonly number[];
}

/** The input of rendering. */
export interface Model {
  readonly configuration: Configuration;
  readonly machine: Machine;
}

/** A file that is rendered from the configuration. It contains no secrets. */
export interface RenderedFile {
  readonly path: string;
  readonly text: string;
  /** Units that read the file, with what makes them read it again. */
  readonly units: Readonly<Record<string, 'restart' | 'reload'>>;
}

export const SERVICES = [
  'platform-management',
  'email-send',
  'delivery-tracking',
  'webhook-dispatch',
  'api-gateway',
  'runtime-agent',
  'load-balancer',
] as const;
export type Service = (typeof SERVICES)[number];

/** Services with a database of their own. */
export const WITH_DATABASE = ['platform-management', 'email-send', 'delivery-tracking', 'webhook-dispatch'] as const;

export const OF_THE_PLATFORM: readonly Service[] = ['runtime-agent', 'load-balancer'];

export const needsDatabase = (service: Service): boolean => WITH_DATABASE.some(each => each === service);

/** The role of a service in PostgreSQL, and its database. */
export const roleOf = (service: Service): string => `postern_${service.replaceAll('-', '_')}`;

/** The services that run: without `apps`, there are no web services. */
export const servicesOf = ({ apps }: Configuration): readonly Service[] =>
  SERVICES.filter(service => apps !== undefined || !OF_THE_PLATFORM.includes(service));

/** Ports of the health checks and metrics, on 127.0.0.1. The load balancer has none. */
export const healthPortOf = (service: Service): number | undefined =>
  service === 'load-balancer' ? undefined : 9090 + SERVICES.indexOf(service);

/**
 * A service with a spare unit is replaced without an interruption: the spare takes the requests meanwhile. The gateway has
 * none, because connections wait in its socket; the agent may exist only once, and instances continue without it.
 */
export const hasSpare = needsDatabase;

/** Services whose port systemd keeps. */
export const hasSocket = (service: Service): boolean => service === 'api-gateway' || service === 'delivery-tracking';

export const socketOf = (service: Service): string => `postern-${service}.socket`;

export const spareOf = (service: Service): string => `postern-${service}-spare.service`;

/** Port of the health check of a spare. */
export const sparePortOf = (service: Service): number => 9190 + SERVICES.indexOf(service);

export const unitOf = (service: Service | 'nats' | 'postgresql' | 'postfix' | 'caddy'): string =>
  `postern-${service}.service`;

/** The system user of a service. The runtime agent and the load balancer run as root and as a user of their own. */
export const userOf = (service: Service): string => (service === 'runtime-agent' ? 'root' : `postern-${service}`);

/** The names below `mail.domain`. */
export const mailNamesOf = ({ mail: { domain } }: Configuration) => ({
  bounces: `bounces.${domain}`,
  sandbox: `sandbox.${domain}`,
  spf: `spf.${domain}`,
  mx: `mx.${domain}`,
});
