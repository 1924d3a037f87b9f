import { healthPortOf, type Machine, type Model, roleOf, type Service } from './model.js';
import { PLACES, PORTS } from './places.js';

type Settings = Readonly<Record<string, string>>;

/** Where the processes of an installation find each other: the units of one server, or containers. */
export interface Site {
  readonly natsServers: string;
  readonly natsCaFile: string;
  /** Address and port of the health checks and metrics. */
  readonly health: (service: Service) => { readonly host: string; readonly port: number };
  /** URL of the database, where it contains no password. */
  readonly databaseUrl: (service: Service) => string | undefined;
  /** Address that ports bind to if Caddy connects to them. */
  readonly behindCaddy: string;
  /** Address from which Caddy connects to a service. */
  readonly caddyOf: (service: Service) => string;
  /** Address that ports bind to if other machines connect to them. */
  readonly everyAddress: (model: Model) => string;
  /** `host:port` of the gateway, the load balancer, and Postfix. */
  readonly gateway: string;
  readonly balancer: string;
  readonly relay: string;
  readonly platformHome: string;
  /** Storage of Caddy, and the address of its administration. */
  readonly caddyStorage: string;
  readonly caddyAdmin: string;
  /** Settings that only this kind of installation has. */
  readonly more: (service: Service, model: Model) => Settings;
}

const everyAddressOf = ({ ipv6 }: Machine): string => (ipv6 ? '::' : '0.0.0.0');

const moreOnOneServer = (service: Service, { configuration: { host }, machine }: Model): Settings => {
  if (service === 'api-gateway')
    return {
      POSTERN_SUBMISSION_HOST: everyAddressOf(machine),
      POSTERN_SUBMISSION_PORT: String(PORTS.submission),
      POSTERN_SUBMISSION_TLS_PORT: String(PORTS.submissionTls),
      POSTERN_SUBMISSION_NAME: host,
      POSTERN_SUBMISSION_TLS_CERT_FILE: `${PLACES.submissionTls}/server.crt`,
      POSTERN_SUBMISSION_TLS_KEY_FILE: `${PLACES.submissionTls}/server.key`,
    };
  if (service === 'platform-management') return { POSTERN_SYSTEM_REPORT_FILE: PLACES.report };
  if (service === 'runtime-agent')
    return {
      POSTERN_PLATFORM_POSTGRES_BIN: machine.postgresBin,
      POSTERN_PLATFORM_GATEWAY_ADDRESSES: `127.0.0.1:${PORTS.gateway},127.0.0.1:${PORTS.submission}`,
    };
  return {};
};

/** The units of systemd, which share the network of the server. */
export const ONE_SERVER: Site = {
  natsServers: `tls://127.0.0.1:${PORTS.nats}`,
  natsCaFile: `${PLACES.natsTls}/ca.crt`,
  health: service => ({ host: '127.0.0.1', port: healthPortOf(service) ?? 0 }),
  databaseUrl: service => `postgres://${roleOf(service)}@localhost/${roleOf(service)}?host=${PLACES.postgresSocket}`,
  behindCaddy: '127.0.0.1',
  caddyOf: () => '127.0.0.1',
  everyAddress: ({ machine }) => everyAddressOf(machine),
  gateway: `127.0.0.1:${PORTS.gateway}`,
  balancer: `127.0.0.1:${PORTS.balancer}`,
  relay: `127.0.0.1:${PORTS.relay}`,
  platformHome: PLACES.platform,
  caddyStorage: PLACES.caddy,
  caddyAdmin: `unix/${PLACES.caddyAdmin}`,
  more: moreOnOneServer,
};
