import { existsSync } from 'node:fs';
import type { NatsSuperuser } from '@postern/contracts/nats-permissions';
import { userNetworkOf } from '@postern/load-balancer-client';
import {
  findNft,
  findValkeyServer,
  freePort,
  type NatsServer,
  type PostgresServer,
  privilegedPort,
  releaseGuard,
  startParentGuard,
} from '@postern/testing';
import { databaseUrlOf } from './database-roles.js';
import { freeBytesOf, planDisk } from './disk.js';
import { Home } from './home.js';
import { LocalDns } from './local-dns.js';
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
import { startNats, startPostgres } from './start-servers.js';
import { enterHome, leaveHome, starterFile, untilUnused } from './starter.js';
import { stopPlatform } from './stop-platform.js';
import { SupervisedProcess } from './supervised-process.js';

export const OPERATOR_EMAIL = 'owner@example.com';
const READY_WITHIN_MS = 60_000;

export interface StartOptions {
  /** The folder of all state. */
  readonly home: string;
  /** Port of the gateway on 127.0.0.1; 0 picks a free one. */
  readonly port: number;
  /** Called before each step of the start. */
  readonly progress?: (step: string) => void;
  /** Environment of single services beyond the embedded defaults. */
  readonly environment?: Readonly<Partial<Record<(typeof SERVICES)[number] | 'load-balancer', Record<string, string>>>>;
  /** Environment of the mail simulator beyond the embedded defaults. */
  readonly simulator?: Readonly<Record<string, string>>;
  /** NATS users with all permissions; for tests. */
  readonly natsSuperusers?: readonly NatsSuperuser[];
  /** Called when a process that ended has been restarted. */
  readonly onRestart?: (running: RunningPostern) => void;
}

/** The running local start; every part is a separate process. */
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

  /** Current process ids by name. */
  processes(): Record<string, number> {
    const services = [...this.services.values()].flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]]));
    return { ...Object.fromEntries(services), nats: this.nats.pid, postgres: this.postgres.pid };
  }

  /** Metrics URL of each service. */
  metricsUrls(): Record<string, string> {
    const known = SERVICES.map(name => [name, this.services.get(name)?.httpPort] as const);
    return Object.fromEntries(
      known.flatMap(([name, port]) => (port ? [[name, `http://127.0.0.1:${port}/metrics`]] : [])),
    );
  }

  /** Bearer token for the metrics. */
  get metricsToken(): string {
    return this.home.secrets().metricsToken;
  }

  stop(): Promise<void> {
    return this.release();
  }
}

/** Addresses of the servers and services. */
const wiringOf = async (
  { home, postgres, nats, dns }: Pick<RunningPostern, 'home' | 'postgres' | 'nats' | 'dns'>,
  natsCaFile: string,
  wantedPort: number,
): Promise<Wiring> => {
  const port = wantedPort || (await freePort());
  const { natsPasswords } = home.secrets();
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    natsUrl: nats.url,
    natsCaFile,
    natsPasswords,
    databaseUrl: service => databaseUrlOf(postgres, service),
    httpPorts: Object.fromEntries(
      await Promise.all(SERVICES.map(async service => [service, await privilegedPort()] as const)),
    ) as Wiring['httpPorts'],
    relayPort: await privilegedPort(),
    bouncePort: await privilegedPort(),
    submissionPort: await freePort(),
    dnsAddress: dns.address,
  };
};

interface ProcessStart {
  readonly home: Home;
  readonly wiring: Wiring;
  readonly mailboxPort: number;
  readonly options: StartOptions;
  readonly progress: (step: string) => void;
  readonly findingPrograms: Promise<Record<string, string>>;
  readonly undo: (() => Promise<unknown>)[];
}

const SHARED_NETWORK =
  'web services share the network of this machine (`npx postern doctor` says why): deploy only code that you trust; code of a second workspace is refused unless POSTERN_SHARED_NETWORK=true. An ordinary user needs the packages nftables, iproute2 and passt, user namespaces and /dev/net/tun';

/** The programs of runtime-agent that the local start finds or downloads, as its settings. */
const programsOfAgent = async (onProgress: (step: string) => void): Promise<Record<string, string>> => {
  const [valkey, nft] = await Promise.all([findValkeyServer({ onProgress }), findNft(onProgress)]);
  return {
    ...(valkey && { POSTERN_PLATFORM_VALKEY_BIN: valkey }),
    ...(nft && { POSTERN_PLATFORM_NFT_BIN: nft }),
  };
};

type Supervise = (name: string, entryPoint: string, env: Record<string, string>) => Promise<void>;

/** Starts the mail simulator, the load balancer and the services, each once its dependencies are ready. */
const startProcesses = async (
  supervise: Supervise,
  { home, wiring, mailboxPort, options, progress, findingPrograms, undo }: ProcessStart,
): Promise<void> => {
  progress('starting the mail simulator, which replaces the relay');
  await supervise('mail-simulator', SIMULATOR, {
    POSTERN_SIMULATOR_SMTP_PORT: String(wiring.relayPort),
    POSTERN_SIMULATOR_HTTP_PORT: String(mailboxPort),
    POSTERN_SIMULATOR_BOUNCE_HOST: '127.0.0.1',
    POSTERN_SIMULATOR_BOUNCE_PORT: String(wiring.bouncePort),
    POSTERN_SIMULATOR_DOMAIN: 'simulator.test',
    POSTERN_EXIT_WITH_PARENT: 'true',
    ...options.simulator,
  });

  // Web services and databases deliberately outlive runtime-agent, but not the local start.
  undo.push(() => stopPlatform(platformHome(home)));
  progress('starting the load balancer of the web services');
  await supervise('load-balancer', LOAD_BALANCER, {
    POSTERN_PLATFORM_HOME: platformHome(home),
    POSTERN_EXIT_WITH_PARENT: 'true',
    ...options.environment?.['load-balancer'],
  });

  progress(`starting ${SERVICES.join(', ')}`);
  const operator = { email: OPERATOR_EMAIL, password: home.secrets().operatorPassword };
  const programs = await findingPrograms;
  // One at a time would take seconds longer; all at once would overload a machine with two cores.
  const waiting = [...SERVICES];
  const startNext = async (): Promise<void> => {
    for (let service = waiting.shift(); service; service = waiting.shift())
      await supervise(service, entryPointOf(service), {
        ...environmentOf(service, wiring, home, operator),
        ...(service === 'runtime-agent' ? programs : {}),
        ...options.environment?.[service],
      });
  };
  await Promise.all([startNext(), startNext()]);
  if (process.getuid?.() !== 0 && !userNetworkOf(platformHome(home))) progress(SHARED_NETWORK);
};

/**
 * Starts PostgreSQL, NATS, the mail simulator, the load balancer and the services, each once its dependencies are
 * ready.
 * @throws with the name of the part that did not start and the end of its log; all parts started before are stopped.
 */
export const startPostern = async (options: StartOptions): Promise<RunningPostern> => {
  const progress = options.progress ?? (() => undefined);
  await untilUnused(options.home, progress);
  const home = new Home(options.home);
  // Before there are data that need them.
  home.secrets();
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

    // Downloaded if missing, in parallel with the rest of the start.
    const findingPrograms = programsOfAgent(progress);
    findingPrograms.catch(() => undefined);
    const start = { home, guard, progress, logOf, undo };
    const postgres = await startPostgres(start, disk.walBytes);
    const { nats, caFile } = await startNats(start, options.natsSuperusers ?? []);

    const dns = await LocalDns.start(home.secrets().sandboxDkimKey);
    undo.push(() => dns.stop());

    const wiring = await wiringOf({ home, postgres, nats, dns }, caFile, options.port);

    const services = new Map<string, SupervisedProcess>();
    const mailboxPort = await freePort();
    let running: RunningPostern | undefined;
    const supervise: Supervise = async (name, entryPoint, env) => {
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

    await startProcesses(supervise, { home, wiring, mailboxPort, options, progress, findingPrograms, undo });

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
    running.operator.password = home.secrets().operatorPassword;
    return running;
  } catch (error) {
    await release();
    throw error;
  }
};
