import type { Model, RenderedFile } from './model.js';
import { unitOf } from './model.js';
import { PLACES } from './places.js';
import { HARDENED, RESTARTED_FOR_EVER, SUPERVISED, unit } from './units.js';

const install = { WantedBy: 'postern.target' };
const description = (text: string, after = 'network.target') => ({
  Description: text,
  After: after,
  PartOf: 'postern.target',
  ...RESTARTED_FOR_EVER,
});

/** A cluster of its own, so that the other databases of the machine are not touched. It listens on a Unix socket only. */
const postgresql = ({ machine }: Model): RenderedFile =>
  unit(unitOf('postgresql'), {
    Unit: description('PostgreSQL of Postern'),
    Service: {
      Type: 'notify',
      User: 'postgres',
      ExecStart: `${machine.postgresBin}/postgres -D ${PLACES.postgres} -c config_file=${PLACES.rendered}/postgresql.conf`,
      ExecReload: '/bin/kill -HUP $MAINPID',
      RuntimeDirectory: 'postern-postgresql',
      KillMode: 'mixed',
      KillSignal: 'SIGINT',
      TimeoutStartSec: 'infinity',
      TimeoutStopSec: 120,
      // The kernel must end anything else first.
      OOMScoreAdjust: -900,
      ...SUPERVISED,
    },
    Install: install,
  });

const nats = (): RenderedFile =>
  unit(unitOf('nats'), {
    Unit: description('NATS of Postern'),
    Service: {
      User: 'postern-nats',
      ExecStart: `${PLACES.release}/bin/nats-server -c ${PLACES.rendered}/nats.conf`,
      ExecReload: '/bin/kill -HUP $MAINPID',
      // Read by systemd as root; the passwords of all users, which NATS compares.
      EnvironmentFile: `${PLACES.secrets}/nats.env`,
      ...SUPERVISED,
      ...HARDENED,
      CapabilityBoundingSet: '',
      ReadWritePaths: PLACES.nats,
      OOMScoreAdjust: -800,
      TimeoutStopSec: 30,
    },
    Install: install,
  });

/** Caddy of the distribution, with a configuration and certificates of Postern. */
const caddy = (): RenderedFile =>
  unit(unitOf('caddy'), {
    Unit: { ...description('Caddy of Postern', 'network-online.target'), Wants: 'network-online.target' },
    Service: {
      Type: 'notify',
      User: 'caddy',
      Environment: [`XDG_DATA_HOME=${PLACES.caddy}`, `XDG_CONFIG_HOME=${PLACES.caddy}`],
      ExecStart: `/usr/bin/caddy run --config ${PLACES.rendered}/Caddyfile --adapter caddyfile`,
      ExecReload: `/usr/bin/caddy reload --config ${PLACES.rendered}/Caddyfile --adapter caddyfile --address unix/${PLACES.caddyAdmin} --force`,
      RuntimeDirectory: 'postern-caddy',
      ...SUPERVISED,
      ...HARDENED,
      SystemCallFilter: '@system-service',
      CapabilityBoundingSet: 'CAP_NET_BIND_SERVICE',
      AmbientCapabilities: 'CAP_NET_BIND_SERVICE',
      ReadWritePaths: PLACES.caddy,
      LimitNOFILE: 1_048_576,
      OOMScoreAdjust: -500,
      TimeoutStopSec: 20,
    },
    Install: install,
  });

/** An instance of its own: the Postfix of the machine keeps its configuration, queue and ports. */
const postfix = (): RenderedFile =>
  unit(unitOf('postfix'), {
    Unit: { ...description('Postfix of Postern', 'network-online.target'), Wants: 'network-online.target' },
    Service: {
      Type: 'forking',
      PIDFile: `${PLACES.postfixQueue}/pid/master.pid`,
      ExecStart: `/usr/sbin/postfix -c ${PLACES.rendered}/postfix start`,
      ExecStop: `/usr/sbin/postfix -c ${PLACES.rendered}/postfix stop`,
      ExecReload: `/usr/sbin/postfix -c ${PLACES.rendered}/postfix reload`,
      KillMode: 'mixed',
      PrivateTmp: 'yes',
      ProtectHome: 'yes',
      ProtectSystem: 'full',
      ReadWritePaths: [PLACES.postfixQueue, PLACES.postfixData, `${PLACES.rendered}/postfix`],
      NoNewPrivileges: 'no',
      OOMScoreAdjust: -500,
      ...SUPERVISED,
    },
    Install: install,
  });

/** The units of the servers that Postern needs. */
export const serverUnits = (model: Model): RenderedFile[] => [
  postgresql(model),
  nats(),
  caddy(),
  ...(model.configuration.mail.send === 'direct' ? [postfix()] : []),
];
