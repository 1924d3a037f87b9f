import { join } from 'node:path';
import type { StartOptions } from '@postern/local-start';
import { freePort } from '@postern/testing';

/** The services with a health endpoint. */
export const SERVICES = [
  'api-gateway',
  'email-send',
  'delivery-tracking',
  'webhook-dispatch',
  'platform-management',
  'runtime-agent',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** All parts with a process that a fault can target. */
export const PROCESSES = [...SERVICES, 'load-balancer', 'nats', 'postgres'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** The ports of a run; the same after every restart. */
export interface Ports {
  readonly gateway: number;
  readonly relay: number;
  readonly bounce: number;
  readonly receiver: number;
  readonly health: Readonly<Record<ServiceName, number>>;
}

export const choosePorts = async (): Promise<Ports> => {
  const health: Partial<Record<ServiceName, number>> = {};
  for (const service of SERVICES) health[service] = await freePort();
  return {
    gateway: await freePort(),
    relay: await freePort(),
    bounce: await freePort(),
    receiver: await freePort(),
    health: health as Record<ServiceName, number>,
  };
};

const NO_LIMIT = '1000000000';

/** Settings in addition to those of the local start, by service. */
const SETTINGS = ({ relay, bounce }: Ports): Partial<Record<ServiceName, Record<string, string>>> => ({
  'email-send': {
    POSTERN_RELAYS: `smtp://127.0.0.1:${relay}?tls=none`,
    POSTERN_PRODUCTION_PER_MINUTE_LIMIT: NO_LIMIT,
    POSTERN_PRODUCTION_DAILY_START: NO_LIMIT,
    POSTERN_QUOTA_CEILING: NO_LIMIT,
  },
  'delivery-tracking': { POSTERN_BOUNCE_SMTP_PORT: String(bounce) },
});

/** The file through which a fault shifts the clock of a service. */
export const clockFile = (folder: string, service: ServiceName): string => join(folder, `clock-${service}`);

/** The options of the starter; the local start has one PostgreSQL for all services unless `clusters` is set. */
export type StarterOptions = Pick<StartOptions, 'home' | 'port' | 'environment'> & { readonly clusters: boolean };

/** The options of the starter for a run in `folder`. */
export const startOptions = (folder: string, ports: Ports, clusters: boolean): StarterOptions => ({
  clusters,
  home: join(folder, 'home'),
  port: ports.gateway,
  environment: Object.fromEntries(
    SERVICES.map(service => [
      service,
      {
        POSTERN_HTTP_PORT: String(ports.health[service]),
        NODE_OPTIONS: `--import ${new URL('./clock-shift.js', import.meta.url).href}`,
        POSTERN_FAULTS_CLOCK: clockFile(folder, service),
        ...SETTINGS(ports)[service],
      },
    ]),
  ),
});
