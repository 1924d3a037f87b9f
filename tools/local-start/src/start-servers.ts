import { type NatsSuperuser, natsAuthorization } from '@postern/contracts/nats-permissions';
import {
  findNatsServer,
  freePort,
  type NatsServer,
  type PostgresServer,
  spawnNats,
  spawnPostgres,
  type startParentGuard,
} from '@postern/testing';
import { ensureDatabaseRoles } from './database-roles.js';
import type { Home } from './home.js';
import { restartOnExit } from './restart-on-exit.js';
import { watchJetStream } from './watch-jetstream.js';

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
  const postgres = await spawnPostgres({
    dataDir: home.openPath('postgres'),
    port: await freePort(),
    logFile: home.logFile('postgres'),
    onLogLine: logOf('postgres'),
    guard,
    password: home.secrets().databasePassword,
    // For short statements on growing tables, JIT compilation costs more than their execution.
    settings: {
      jit: 'off',
      shared_buffers: '256MB',
      max_wal_size: `${Math.floor(walBytes / 1024 ** 2)}MB`,
      idle_in_transaction_session_timeout: '10s',
    },
  });
  undo.push(() => postgres.stop());
  undo.push(restartOnExit(postgres));
  await ensureDatabaseRoles(postgres, home.secrets().databasePasswords);
  return postgres;
};

/**
 * Starts NATS with JetStream and the users of the services; restarts it whenever it ends or JetStream stops responding.
 */
export const startNats = async (
  { home, guard, progress, logOf, undo }: ServerStart,
  superusers: readonly NatsSuperuser[],
): Promise<NatsServer> => {
  progress('starting NATS with JetStream');
  const { path: program } = await findNatsServer({ onProgress: progress });
  const natsLog = logOf('nats');
  const nats = await spawnNats({
    program,
    port: await freePort(),
    storeDir: home.path('nats'),
    logFile: home.logFile('nats'),
    onLogLine: natsLog,
    guard,
    args: ['-c', natsSettings(home, superusers)],
  });
  undo.push(() => nats.stop());
  undo.push(restartOnExit(nats));
  const credential = { user: 'operator', pass: home.secrets().natsPasswords.operator };
  undo.push(watchJetStream(nats, { credential, storeDir: home.path('nats'), log: natsLog }));
  return nats;
};

const quoted = ({ user, password }: NatsSuperuser): NatsSuperuser => ({
  user: JSON.stringify(user),
  password: JSON.stringify(password),
});

/** Settings that require a file: a message must hold 10 MiB of mail, and passwords must not appear in `ps`. */
const natsSettings = (home: Home, superusers: readonly NatsSuperuser[]): string => {
  const { natsPasswords } = home.secrets();
  home.writeText(
    'nats.conf',
    `max_payload: 16MB\nmax_pending: 128MB\n${natsAuthorization(user => JSON.stringify(natsPasswords[user]), superusers.map(quoted))}`,
  );
  return home.path('nats.conf');
};
