import { type NatsSuperuser, natsAuthorization } from '@postern/contracts/nats-permissions';
import { isPatchedNats, UNPATCHED_NATS_ADVICE } from '@postern/contracts/nats-release';
import { type CertificateFiles, ensureCertificates } from '@postern/messaging/certificates';
import {
  findNatsServer,
  type NatsServer,
  type PostgresServer,
  privilegedPort,
  spawnNats,
  spawnPostgres,
  type startParentGuard,
} from '@postern/testing';
import { ensureDatabaseRoles } from './database-roles.js';
import type { Home } from './home.js';
import { renewCertificates } from './renew-certificates.js';
import { restartOnExit } from './restart-on-exit.js';
import { watchJetStream } from './watch-jetstream.js';

/** Only a part of the name of the Unix socket. */
const POSTGRES_PORT = 5432;
/** The names in the certificate of NATS. */
const NATS_NAMES = ['localhost', '127.0.0.1', '::1'];

/** Context shared by the servers of a local start. */
export interface ServerStart {
  readonly home: Home;
  readonly guard: ReturnType<typeof startParentGuard>;
  readonly progress: (step: string) => void;
  /** Opens the log of a server. @returns the function that writes its lines. */
  readonly logOf: (name: string) => (line: string) => void;
  /** Functions that stop the started parts, in the order of the start. */
  readonly undo: (() => Promise<unknown>)[];
}

/** Starts PostgreSQL with the roles of the services, and restarts it whenever it ends. */
export const startPostgres = async (
  { home, guard, progress, logOf, undo }: ServerStart,
  walBytes: number,
): Promise<PostgresServer> => {
  progress('starting PostgreSQL');
  const log = logOf('postgres');
  const postgres = await spawnPostgres({
    dataDir: home.openPath('postgres'),
    port: POSTGRES_PORT,
    socketFolder: home.openPath('postgres-socket'),
    logFile: home.logFile('postgres'),
    onLogLine: log,
    guard,
    // For short statements on growing tables, JIT compilation costs more than their execution.
    settings: {
      jit: 'off',
      shared_buffers: '256MB',
      max_wal_size: `${Math.floor(walBytes / 1024 ** 2)}MB`,
      idle_in_transaction_session_timeout: '10s',
      authentication_timeout: '5s',
    },
  });
  undo.push(() => postgres.stop());
  undo.push(restartOnExit(postgres, { name: 'PostgreSQL', log: obstacleLog(progress, log) }));
  await ensureDatabaseRoles(postgres);
  return postgres;
};

/**
 * Starts NATS with JetStream and the users of the services; restarts it whenever it ends or JetStream stops responding.
 */
export const startNats = async (
  { home, guard, progress, logOf, undo }: ServerStart,
  superusers: readonly NatsSuperuser[],
): Promise<{ readonly nats: NatsServer; readonly caFile: string }> => {
  progress('starting NATS with JetStream');
  const { path: program, version } = await findNatsServer({ onProgress: progress });
  if (!isPatchedNats(version)) progress(`nats-server ${version}: ${UNPATCHED_NATS_ADVICE}`);
  const natsLog = logOf('nats');
  const port = await privilegedPort();
  const ensure = () => ensureCertificates(home.path('nats-tls'), NATS_NAMES);
  const certificates = await ensure();
  const nats = await spawnNats({
    program,
    port,
    url: `tls://localhost:${port}`,
    storeDir: home.path('nats'),
    logFile: home.logFile('nats'),
    onLogLine: natsLog,
    guard,
    args: ['-c', natsSettings(home, superusers, certificates)],
  });
  undo.push(() => nats.stop());
  undo.push(renewCertificates(nats, async () => (await ensure()).renewed, natsLog));
  undo.push(restartOnExit(nats, { name: 'NATS', port, log: obstacleLog(progress, natsLog) }));
  const credential = { user: 'operator', password: home.secrets().natsPasswords.operator };
  undo.push(watchJetStream(nats, { credential, caFile: certificates.ca, storeDir: home.path('nats'), log: natsLog }));
  return { nats, caFile: certificates.ca };
};

/** An obstacle needs the user, so it is also printed. */
const obstacleLog =
  (progress: ServerStart['progress'], log: (line: string) => void) =>
  (line: string): void => {
    log(line);
    progress(line);
  };

const quoted = ({ user, password }: NatsSuperuser): NatsSuperuser => ({
  user: JSON.stringify(user),
  password: JSON.stringify(password),
});

/** Settings that require a file: a message must hold 36 MiB of mail in base64, and passwords must not appear in `ps`. */
const natsSettings = (home: Home, superusers: readonly NatsSuperuser[], { cert, key }: CertificateFiles): string => {
  const { natsPasswords } = home.secrets();
  home.writeText(
    'nats.conf',
    [
      'max_payload: 52MB',
      'max_pending: 256MB',
      'max_connections: 1000',
      // A connection that was forgotten must not get requests of a service that has connected again.
      'ping_interval: "5s"',
      'ping_max: 2',
      `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}, timeout: 2 }`,
      natsAuthorization(user => JSON.stringify(natsPasswords[user]), superusers.map(quoted)),
    ].join('\n'),
  );
  return home.path('nats.conf');
};
