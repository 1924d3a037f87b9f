import { existsSync } from 'node:fs';
import { type NatsSuperuser, natsAuthorization } from '@postern/contracts/nats-permissions';
import {
  findNatsServer,
  findValkeyServer,
  freePort,
  type NatsServer,
  type PostgresServer,
  releaseGuard,
  spawnNats,
  spawnPostgres,
  startParentGuard,
} from '@postern/testing';
import { databaseUrlOf, ensureDatabaseRoles } from './database-roles.js';
import { freeBytesOf, planDisk } from './disk.js';
import { Home } from './home.js';
import { LocalDns } from './local-dns.js';
import { restartOnExit } from './restart-on-exit.js';
import { RotatingLog } from './rotating-log.js';
import {
  entryPointOf,
  environmentOf,
  LOAD_BALANCER,
  platformHome,
  SERVICES,
  SIMULATOR,
  STOP_EVERYTHING,
  type Wiring,
} from './services.js';
import { enterHome, leaveHome, starterFile, untilUnused } from './starter.js';
import { stopPlatform } from './stop-platform.js';
import { SupervisedProcess } from './supervised-process.js';
import { watchJetStream } from './watch-jetstream.js';

export const OPERATOR_EMAIL = 'owner@example.com';
const READY_WITHIN_MS = 60_000;

export interface StartOptions {
  /** The folder that keeps all state. */
  readonly home: string;
  /** Port of the gateway on 127.0.0.1; 0 picks a free one. */
  readonly port: number;
  /** Told before each step of the start. */
  readonly progress?: (step: string) => void;
  /** Environment of single services beyond the embedded defaults. */
  readonly environment?: Readonly<Partial<Record<(typeof SERVICES)[number] | 'load-balancer', Record<string, string>>>>;
  /** Environment of the mail simulator beyond the embedded defaults. */
  readonly simulator?: Readonly<Record<string, string>>;
  /** Users of NATS that may do everything; for tests. */
  readonly natsSuperusers?: readonly NatsSuperuser[];
  /** Told when a process that died runs again. */
  readonly onRestart?: (running: RunningPostern) => void;
}

/** Everything that the local start runs; every part is a real process of its own. */
export class RunningPostern {
  constructor(
    readonly home: Home,
    readonly baseUrl: string,
    readonly mailboxUrl: string,
    readonly dns: LocalDns,
    readonly postgres: PostgresServer,
    readonly nats: NatsServer,
    readonly services: ReadonlyMap<string, SupervisedProcess>,
    readonly wiring: Wiring,
    private readonly release: () => Promise<void>,
  ) {}

  readonly operator = { email: OPERATOR_EMAIL, password: '' };

  /** Process ids by name, as they are now. */
  processes(): Record<string, number> {
    const services = [...this.services.values()].flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]]));
    return { ...Object.fromEntries(services), nats: this.nats.pid, postgres: this.postgres.pid };
  }

  /** Where each service serves its metrics. */
  metricsUrls(): Record<string, string> {
    const known = SERVICES.map(name => [name, this.services.get(name)?.httpPort] as const);
    return Object.fromEntries(
      known.flatMap(([name, port]) => (port ? [[name, `http://127.0.0.1:${port}/metrics`]] : [])),
    );
  }

  stop(): Promise<void> {
    return this.release();
  }
}

const quoted = ({ user, password }: NatsSuperuser): NatsSuperuser => ({
  user: JSON.stringify(user),
  password: JSON.stringify(password),
});

/** Settings that need a file: mail of 10 MiB has to fit into one message, and nobody may read passwords in `ps`. */
const natsSettings = (home: Home, superusers: readonly NatsSuperuser[]): string => {
  const { natsPasswords } = home.secrets();
  home.writeText(
    'nats.conf',
    `max_payload: 16MB\nmax_pending: 128MB\n${natsAuthorization(user => JSON.stringify(natsPasswords[user]), superusers.map(quoted))}`,
  );
  return home.path('nats.conf');
};

/**
 * Starts PostgreSQL, NATS, the mail simulator, the load balancer and the services, each seen to be ready before the next needs it.
 * @throws with the name of what did not start and the end of its log; everything started before is stopped again.
 */
export const startPostern = async (options: StartOptions): Promise<RunningPostern> => {
  const progress = options.progress ?? (() => undefined);
  await untilUnused(options.home, progress);
  const home = new Home(options.home);
  const disk = planDisk(home.folder, freeBytesOf(home.openPath()), !existsSync(home.openPath('postgres')));
  if (disk.warning) progress(disk.warning);
  const undo: (() => Promise<unknown>)[] = [];
  const release = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const guard = startParentGuard({
      command: [process.execPath, STOP_EVERYTHING, platformHome(home)],
      removePath: starterFile(home.folder),
    });
    enterHome(home.folder, guard.shell.pid ?? 0);
    undo.push(async () => {
      releaseGuard(guard);
      leaveHome(home.folder);
    });
    const logOf = (name: string) => {
      const log = new RotatingLog(home.logFile(name));
      undo.push(async () => log.end());
      return (line: string) => log.write(line);
    };

    // Fetched where it is missing, while the rest starts.
    const findingValkey = findValkeyServer({ onProgress: progress });
    findingValkey.catch(() => undefined);
    progress('starting PostgreSQL');
    const postgres = await spawnPostgres({
      dataDir: home.openPath('postgres'),
      port: await freePort(),
      logFile: home.logFile('postgres'),
      onLogLine: logOf('postgres'),
      guard,
      password: home.secrets().databasePassword,
      // Short statements on growing tables: compiling them costs more than running them.
      settings: {
        jit: 'off',
        shared_buffers: '256MB',
        max_wal_size: `${Math.floor(disk.walBytes / 1024 ** 2)}MB`,
        idle_in_transaction_session_timeout: '10s',
      },
    });
    undo.push(() => postgres.stop());
    undo.push(restartOnExit(postgres));
    await ensureDatabaseRoles(postgres, home.secrets().databasePasswords);

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
      args: ['-c', natsSettings(home, options.natsSuperusers ?? [])],
    });
    undo.push(() => nats.stop());
    undo.push(restartOnExit(nats));
    const { natsPasswords, databasePasswords } = home.secrets();
    const credential = { user: 'operator', pass: natsPasswords.operator };
    undo.push(watchJetStream(nats, { credential, storeDir: home.path('nats'), say: natsLog }));

    const dns = await LocalDns.start(home.secrets().sandboxDkimKey);
    undo.push(() => dns.stop());

    const port = options.port || (await freePort());
    const wiring: Wiring = {
      baseUrl: `http://127.0.0.1:${port}`,
      port,
      natsUrl: nats.url,
      natsPasswords,
      databaseUrl: service => databaseUrlOf(postgres, service, databasePasswords[service]),
      relayPort: await freePort(),
      bouncePort: await freePort(),
      submissionPort: await freePort(),
      dnsAddress: dns.address,
    };

    const services = new Map<string, SupervisedProcess>();
    const mailboxPort = await freePort();
    let running: RunningPostern | undefined;
    const supervise = async (name: string, entryPoint: string, env: Record<string, string>) => {
      const service = new SupervisedProcess(
        {
          name,
          command: process.execPath,
          args: [entryPoint],
          env,
          logFile: home.logFile(name),
          readyWithinMs: READY_WITHIN_MS,
          guard,
        },
        () => running && options.onRestart?.(running),
      );
      services.set(name, service);
      undo.push(() => service.stop());
      await service.start();
    };

    progress('starting the mail simulator in the upstream relay’s place');
    await supervise('mail-simulator', SIMULATOR, {
      POSTERN_SIMULATOR_SMTP_PORT: String(wiring.relayPort),
      POSTERN_SIMULATOR_HTTP_PORT: String(mailboxPort),
      POSTERN_SIMULATOR_BOUNCE_HOST: '127.0.0.1',
      POSTERN_SIMULATOR_BOUNCE_PORT: String(wiring.bouncePort),
      POSTERN_SIMULATOR_DOMAIN: 'simulator.test',
      POSTERN_EXIT_WITH_PARENT: 'true',
      ...options.simulator,
    });

    // Web services and databases outlive runtime-agent on purpose, but not the local start.
    undo.push(() => stopPlatform(platformHome(home)));
    progress('starting the load balancer of the web services');
    await supervise('load-balancer', LOAD_BALANCER, {
      POSTERN_PLATFORM_HOME: platformHome(home),
      POSTERN_EXIT_WITH_PARENT: 'true',
      ...options.environment?.['load-balancer'],
    });

    progress(`starting ${SERVICES.join(', ')}`);
    const operator = { email: OPERATOR_EMAIL, password: home.secrets().operatorPassword };
    const valkey = await findingValkey;
    // One at a time would cost seconds, all at once starves a small machine of its two cores.
    const waiting = [...SERVICES];
    const startNext = async (): Promise<void> => {
      for (let service = waiting.shift(); service; service = waiting.shift())
        await supervise(service, entryPointOf(service), {
          ...environmentOf(service, wiring, home, operator),
          ...(service === 'runtime-agent' && valkey ? { POSTERN_PLATFORM_VALKEY_BIN: valkey } : {}),
          ...options.environment?.[service],
        });
    };
    await Promise.all([startNext(), startNext()]);

    running = new RunningPostern(
      home,
      wiring.baseUrl,
      `http://127.0.0.1:${mailboxPort}`,
      dns,
      postgres,
      nats,
      services,
      wiring,
      release,
    );
    running.operator.password = operator.password;
    return running;
  } catch (error) {
    await release();
    throw error;
  }
};
