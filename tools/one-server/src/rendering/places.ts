/** Paths of an installation. Tests render with the same paths, because rendering only returns texts. */
export const PLACES = {
  release: '/opt/postern/current',
  releases: '/opt/postern/releases',
  configuration: '/etc/postern/config.yaml',
  secrets: '/etc/postern/secrets',
  /** Files that are rendered from the configuration, except those that systemd reads. */
  rendered: '/etc/postern/rendered',
  /** The public half of the key of backups. */
  backupRecipient: '/etc/postern/rendered/backup-recipient',
  state: '/var/lib/postern',
  /** What the hourly check found, which platform-management shows operators. It contains no secrets. */
  report: '/var/lib/postern/report.json',
  platform: '/var/lib/postern/platform',
  /** The routes of the load balancer, and the socket by which the agent changes them. */
  balancer: '/var/lib/postern/platform/load-balancer',
  postgres: '/var/lib/postern/postgresql',
  postgresSocket: '/run/postern-postgresql',
  nats: '/var/lib/postern/nats',
  natsTls: '/var/lib/postern/nats-tls',
  caddy: '/var/lib/postern/caddy',
  caddyAdmin: '/run/postern-caddy/admin.sock',
  postfixQueue: '/var/spool/postern-postfix',
  postfixData: '/var/lib/postern/postfix',
  /** The certificate of SMTP submission, copied from the storage of Caddy. */
  submissionTls: '/var/lib/postern/submission-tls',
  systemd: '/etc/systemd/system',
} as const;

/** Ports on 127.0.0.1, except those of mail, which clients on the internet reach. */
export const PORTS = {
  gateway: 8080,
  balancer: 8081,
  nats: 4222,
  natsMonitoring: 8222,
  bounces: 2525,
  relay: 2526,
  submission: 587,
  submissionTls: 465,
} as const;

export const NODE = `${PLACES.release}/node/bin/node`;
