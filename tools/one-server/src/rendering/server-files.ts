import { natsUsersFile } from '@postern/contracts/nats-permissions';
import { type Model, mailNamesOf, type RenderedFile, servicesOf, unitOf, userOf, WITH_DATABASE } from './model.js';
import { PLACES, PORTS } from './places.js';
import { ONE_SERVER, type Site } from './site.js';
import { archiveSettings } from './wal-settings.js';

const HEAD = `# Rendered from ${PLACES.configuration} by "postern config apply".\n`;

const file = (name: string, text: string, units: RenderedFile['units']): RenderedFile => ({
  path: `${PLACES.rendered}/${name}`,
  text: `${HEAD}${text.trim()}\n`,
  units,
});

/**
 * Requests wait while the process behind is replaced: those of the gateway in its socket, those of the load balancer at its standby.
 * Idle connections are closed before a process that ends closes them, so that no request meets the end of one.
 */
const proxyTo = (address: string): string => `reverse_proxy ${address} {
		lb_try_duration 30s
		lb_try_interval 250ms
		transport http {
			keepalive 1s
		}
	}`;

/** The paths of links in messages (`TrackingTokens`), which tracking hosts of sending domains serve too. */
const LINKS = '^/[ocu]/[A-Za-z0-9_-]{46,}(\\.gif)?$';

/** Hosts with certificates on demand: custom domains of web services and tracking hosts; the gateway knows which is which. */
const onDemandSite = (hasApps: boolean, { gateway, balancer }: Site): string => `
https:// {
	tls {
		on_demand
	}
${
  hasApps
    ? `	@link path_regexp ${LINKS}
	handle @link {
		reverse_proxy ${gateway} {
			method GET
			rewrite /tls/ask?domain={host}
			header_up Host {upstream_hostport}
			header_up -X-Forwarded-Host
			@tracking_host header X-Postern-Upstream gateway
			handle_response @tracking_host {
				${proxyTo(gateway).replaceAll('\n', '\n\t\t\t')}
			}
			handle_response {
				${proxyTo(balancer).replaceAll('\n', '\n\t\t\t')}
			}
		}
	}
	handle {
		${proxyTo(balancer).replaceAll('\n', '\n\t')}
	}
`
    : `	${proxyTo(gateway)}
`
}}
`;

export const caddyfile = ({ configuration: { host, apps, acme } }: Model, site: Site): string => `
{
	email ${acme.email}
	acme_ca ${acme.directory}
${acme.trust === undefined ? '' : `	acme_ca_root ${acme.trust}\n`}	admin ${site.caddyAdmin}
	storage file_system ${site.caddyStorage}
	on_demand_tls {
		ask http://${site.gateway}/tls/ask
	}
}

${host} {
	${proxyTo(site.gateway)}
}
${onDemandSite(apps !== undefined, site)}`;

/** Where NATS listens, and its folders. */
export interface NatsPlaces {
  readonly host: string;
  readonly tls: string;
  readonly data: string;
}

/** The limits are those of every installation (tools/checks/src/nats-settings.spec.ts). */
export const natsConf = ({ host, tls, data }: NatsPlaces): string => `
listen: ${host}:${PORTS.nats}
http: 127.0.0.1:${PORTS.natsMonitoring}
# An email of 36 MiB in base64 has to fit into one message.
max_payload: 52MB
max_pending: 256MB
max_connections: 1000
# A connection that a network forgot must not get requests of a service that has connected again.
ping_interval: "5s"
ping_max: 2
tls { cert_file: ${tls}/server.crt, key_file: ${tls}/server.key, timeout: 2 }
jetstream {
  store_dir: ${data}
  sync_interval: always
  # Otherwise NATS takes its limit from the free disk at its start, and refuses its own streams on a full one.
  max_file_store: 1GB
  max_memory_store: 64MB
}
include nats-users.conf`;

const postgresqlConf = (model: Model): string => `
listen_addresses = ''
unix_socket_directories = '${PLACES.postgresSocket}'
data_directory = '${PLACES.postgres}'
hba_file = '${PLACES.rendered}/pg_hba.conf'
ident_file = '${PLACES.rendered}/pg_ident.conf'
max_connections = 200
shared_buffers = ${Math.max(128, Math.floor(model.machine.memoryMib / 8))}MB
max_wal_size = 1GB
# For short statements on growing tables, JIT compilation costs more than their execution.
jit = off
idle_in_transaction_session_timeout = 10s
authentication_timeout = 5s
wal_level = replica
${archiveSettings(model).join('\n')}
log_destination = stderr
logging_collector = off
timezone = UTC
log_timezone = UTC`;

/** The kernel identifies the clients of the socket, so there are no passwords. */
const pgHba = (): string =>
  [
    '# TYPE  DATABASE  USER  METHOD',
    'local all postgres peer',
    'local replication postgres peer',
    ...WITH_DATABASE.map(service => {
      const role = `postern_${service.replaceAll('-', '_')}`;
      return `local ${role} ${role} peer map=postern`;
    }),
  ].join('\n');

const pgIdent = (): string =>
  WITH_DATABASE.map(service => `postern ${userOf(service)} postern_${service.replaceAll('-', '_')}`).join('\n');

const mainCf = ({ configuration, machine }: Model): string => {
  const names = mailNamesOf(configuration);
  return `
compatibility_level = 3.6
queue_directory = ${PLACES.postfixQueue}
data_directory = ${PLACES.postfixData}
myhostname = ${names.mx}
mydestination =
local_transport = error:no mailboxes here
alias_maps =
alias_database =
inet_interfaces = 127.0.0.1
inet_protocols = ${machine.ipv6 ? 'all' : 'ipv4'}
# The firewall lets only email-send connect.
mynetworks = 127.0.0.1/32
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_discard_ehlo_keywords =
smtp_tls_security_level = may
smtp_tls_CAfile = /etc/ssl/certs/ca-certificates.crt
transport_maps = inline:{${names.bounces}=smtp:[127.0.0.1]:${PORTS.bounces}}
message_size_limit = 50000000
smtputf8_enable = yes`;
};

/** The daemons of Postfix, without a chroot, in which names would not be resolved. */
const MASTER: readonly string[] = [
  `127.0.0.1:${PORTS.relay} inet n - n - - smtpd`,
  'pickup unix n - n 60 1 pickup',
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'tlsmgr unix - - n 1000? 1 tlsmgr',
  'rewrite unix - - n - - trivial-rewrite',
  'bounce unix - - n - 0 bounce',
  'defer unix - - n - 0 bounce',
  'trace unix - - n - 0 bounce',
  'verify unix - - n - 1 verify',
  'flush unix n - n 1000? 0 flush',
  'proxymap unix - - n - - proxymap',
  'proxywrite unix - - n - 1 proxymap',
  'smtp unix - - n - - smtp',
  'relay unix - - n - - smtp',
  'showq unix n - n - - showq',
  'error unix - - n - - error',
  'retry unix - - n - - error',
  'discard unix - - n - - discard',
  'anvil unix - - n - 1 anvil',
  'scache unix - - n - 1 scache',
  'postlog unix-dgram n - n - 1 postlogd',
];

const OPEN_PORTS = [80, 443, PORTS.submissionTls, PORTS.submission];

const inputChain = (sshPorts: readonly number[]): string => `
	chain input {
		type filter hook input priority filter; policy drop;
		ct state established,related accept
		ct state invalid drop
		iifname "lo" accept
		meta l4proto { icmp, ipv6-icmp } accept
		udp sport 67 udp dport 68 accept
		ip6 saddr fe80::/10 udp dport 546 accept
		# Web services that call the gateway as postern.internal.
		iifname "pst*" ct status dnat accept
		tcp dport { ${[...sshPorts, ...OPEN_PORTS].join(', ')} } accept
		udp dport 443 accept
		tcp dport ${PORTS.bounces} ct status dnat accept
	}`;

/** Replaces the table of Postern at once, and touches no other. */
const nftables = ({ configuration, machine }: Model): string => `
table inet postern
delete table inet postern
table inet postern {
	# Mail for the bounce listener, which has no privileges.
	chain prerouting {
		type nat hook prerouting priority dstnat;
		fib daddr type local tcp dport 25 redirect to :${PORTS.bounces}
	}
	chain output_redirect {
		type nat hook output priority -100;
		ip daddr != 127.0.0.0/8 fib daddr type local tcp dport 25 redirect to :${PORTS.bounces}
	}
	# Programs of this machine cannot send in the name of Postern, nor claim the addresses of clients.
	chain output {
		type filter hook output priority filter;
${configuration.mail.send === 'direct' ? `		oifname "lo" tcp dport ${PORTS.relay} meta skuid != { "root", "${userOf('email-send')}" } reject with tcp reset\n` : ''}		oifname "lo" tcp dport { ${PORTS.gateway}, ${PORTS.balancer} } meta skuid != { "root", "caddy" } reject with tcp reset
	}${configuration.firewall ? inputChain(machine.sshPorts) : ''}
}`;

const sysusers = ({ configuration }: Model): string =>
  [
    ...servicesOf(configuration)
      .map(userOf)
      .filter(user => user !== 'root'),
    'postern-nats',
  ]
    .map(user => `u ${user} - "Postern"`)
    .join('\n');

/** The configuration of the servers, the firewall, the users and the log. */
export const serverFiles = (model: Model): RenderedFile[] => {
  const postgres = { [unitOf('postgresql')]: 'restart' } as const;
  const direct = model.configuration.mail.send === 'direct';
  return [
    { path: '/etc/sysusers.d/postern.conf', text: `${HEAD}${sysusers(model)}\n`, units: {} },
    {
      path: '/etc/systemd/journald@postern.conf',
      text: `${HEAD}[Journal]\nStorage=persistent\nSystemMaxUse=1G\nMaxRetentionSec=30day\n`,
      units: {},
    },
    file('Caddyfile', caddyfile(model, ONE_SERVER), { [unitOf('caddy')]: 'reload' }),
    file('nats.conf', natsConf({ host: '127.0.0.1', tls: PLACES.natsTls, data: PLACES.nats }), {
      [unitOf('nats')]: 'restart',
    }),
    file('nats-users.conf', natsUsersFile(), { [unitOf('nats')]: 'reload' }),
    file('postgresql.conf', postgresqlConf(model), postgres),
    file('pg_hba.conf', pgHba(), { [unitOf('postgresql')]: 'reload' }),
    file('pg_ident.conf', pgIdent(), { [unitOf('postgresql')]: 'reload' }),
    ...(direct
      ? [
          file('postfix/main.cf', mainCf(model), { [unitOf('postfix')]: 'restart' }),
          file('postfix/master.cf', MASTER.join('\n'), { [unitOf('postfix')]: 'restart' }),
        ]
      : []),
    file('nftables.conf', nftables(model), { 'postern-firewall.service': 'restart' }),
  ];
};
