import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { TerminusModule } from '@nestjs/terminus';
import type { ServiceName } from '@postern/contracts';
import { FollowerPositions, PostgresSetAsideEvents } from '@postern/event-sourcing/postgres';
import { PosternServer, RequestHandlers, runDetached } from '@postern/messaging';
import type { FastifyServerOptions } from 'fastify';
import { ChangeNotices } from './change-notices.js';
import type { ConfigDefinition, ConfigOf, Environment, HostConfig } from './config/define-config.js';
import { guardClock } from './database/clock-guard.js';
import { Database, type DatabaseConfig } from './database/database.js';
import { DatabaseClock } from './database/database-clock.js';
import { applyMigrations, type MigrationOptions } from './database/migrations.js';
import { asTemporarilyUnavailable } from './database/temporary-faults.js';
import { startTasks } from './every.js';
import { connectTransport } from './handlers.js';
import { guardEventFlow } from './health/event-flow.js';
import { HealthController } from './health/health.controller.js';
import { Liveness } from './health/liveness.js';
import { Readiness } from './health/readiness.js';
import { WaitingPort } from './health/waiting-port.js';
import type { Host } from './host.js';
import { HostModule } from './host-module.js';
import { commandsOf } from './idempotent-commands/idempotent-commands.js';
import { createLog, type LogOutput, nestLog } from './log/service-log.js';
import { Metrics } from './metrics/metrics.js';
import { observePool } from './metrics/observe-pool.js';
import { connectWith, type NatsConnection } from './nats.js';
import { answerReleaseQueries, type Release } from './release.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { Tasks } from './tasks.js';
import { startTracing } from './tracing/tracing.js';

/** Any definition created by `defineConfig`. */
export interface HostedConfig {
  readonly shape: ConfigDefinition['shape'];
  read(environment: Environment): HostConfig;
}

export interface ServiceOptions<D extends HostedConfig = HostedConfig> {
  readonly name: ServiceName | 'api-gateway';
  readonly config: D;
  /** The root module of the service; the members of `Host` are injectable in it and in all modules that it imports. */
  readonly module: Type;
  /** For services whose configuration includes `databaseSettings`. */
  readonly database?: Omit<MigrationOptions, 'databaseUrl'>;
  /** The release that other processes are told; without it they get no answer. */
  readonly release?: Release | undefined;
  /** For a service that chooses its NATS servers itself; by default, those of its configuration. */
  readonly connect?: (
    config: ConfigOf<D>,
    log: Host['log'],
    release: Release | undefined,
  ) => Promise<NatsConnection> | undefined;
  /** Maximum number of concurrent request handlers (256). */
  readonly concurrency?: number;
  /** The clock of the machine, for tests. */
  readonly wallClock?: () => number;
  /** For the gateway: limits, proxies, request ids. */
  readonly fastify?: FastifyServerOptions;
  /** Called before the service listens: Fastify plugins, filters, readiness checks. */
  readonly configure?: (app: NestFastifyApplication, host: Host<ConfigOf<D>>) => Promise<void> | void;
}

export interface RunningService {
  readonly app: NestFastifyApplication;
  readonly port: number;
  /** Finishes running work, then closes all connections. Resolves to false if the time limit was exceeded. */
  stop(): Promise<boolean>;
}

const SUBSCRIBED_WITHIN_MS = 2_000;
const PURGE_COMMANDS_MS = 10 * 60_000;

/**
 * Waits for NATS and the database, migrates, and starts Nest and the HTTP port. `onLost` is called if the NATS
 * connection cannot recover and the process must end. `runService` adds the handling of the process.
 */
export const startService = async <D extends HostedConfig>(
  options: ServiceOptions<D>,
  environment: Environment,
  output?: LogOutput,
  onLost: (error: Error) => void = () => {},
): Promise<RunningService> => {
  const config = options.config.read(environment) as HostConfig & ConfigOf<D>;
  const { log } = output ?? createLog(options.name, config.logLevel);
  const waitingPort = new WaitingPort();
  await waitingPort.open(config.httpHost, config.httpPort, log);
  const metrics = new Metrics(options.name, options.release?.version);
  const tracing = await startTracing({
    endpoint: config.otlpEndpoint ?? environment['OTEL_EXPORTER_OTLP_ENDPOINT'],
    traceRatio: config.traceRatio,
    service: options.name,
    log,
  });
  const [connection, opened] = await Promise.all([
    options.connect?.(config, log, options.release) ?? connectWith(config, options.name, log),
    options.database ? openDatabase(config, options.database, options, log) : undefined,
  ]);
  const { database, clock } = opened ?? {};
  const { link, requests } = connection;
  runDetached(log, 'connection', async () => {
    const error = await link.lost;
    log.error({ err: error }, 'The connection to NATS cannot recover; the process must be restarted');
    onLost(error);
  });
  const readiness = new Readiness();
  const liveness = new Liveness(link);
  readiness.add({ name: 'nats', check: connection.check ?? (() => link.roundTrip(1_500)) });
  if (database) {
    readiness.add({ name: 'database', check: () => database.ping(1_500) });
    observePool(metrics, database.pool);
  }
  const tasks = new Tasks(log);
  const handlers = new RequestHandlers();
  const host: Host<ConfigOf<D>> = {
    config,
    log,
    connection,
    link,
    requests,
    handlers,
    readiness,
    liveness,
    metrics,
    tasks,
    changes: new ChangeNotices(link, options.name),
    database,
    clock,
  };
  const commands = database && commandsOf(database.pool, config, log);
  const server = new PosternServer({
    link,
    service: options.name,
    log,
    handlers,
    drainTimeoutMs: config.shutdownTimeoutMs,
    events: database && {
      positions: new FollowerPositions(database.pool),
      setAside: new PostgresSetAsideEvents(database.pool),
    },
    onHandled: events => host.changes.addEvents(events),
    asUnavailable: asTemporarilyUnavailable,
    keyed: commands,
    ...(options.concurrency ? { concurrency: options.concurrency } : {}),
  });

  if (clock) {
    const onChange = async (isWrong: boolean) => (isWrong ? server.pause() : server.resume());
    if (clock.isWrong) await server.pause();
    guardClock(clock, { readiness, metrics, tasks, log, onChange });
    guardEventFlow({ readiness, clock, followers: () => server.followers });
  }

  let app: NestFastifyApplication | undefined;
  const close = async () => {
    readiness.stop();
    await Promise.all([server.close(), tasks.stop()]);
    await app?.close();
    requests.close();
    await link.close();
    await database?.close();
    await Promise.all([waitingPort.close(), metrics.close(), tracing.close()]);
  };
  try {
    app = await createApp(options, host, server);
    await app.init();
    startTasks(app, host);
    if (commands) tasks.every(PURGE_COMMANDS_MS, 'purge answers of commands', () => commands.purge());
    if (options.release) answerReleaseQueries(link, options.name, options.release);
    await app.startAllMicroservices();
    // A completed round trip confirms the subscriptions; if NATS does not respond, the readiness check reports it.
    await link.roundTrip(SUBSCRIBED_WITHIN_MS).catch(() => {});
    await waitingPort.close();
    await app.listen(config.httpPort, config.httpHost);
  } catch (error) {
    await close().catch((err: unknown) => log.warn({ err }, 'Closing after a failed start failed'));
    throw error;
  }
  return running(app, close, config.shutdownTimeoutMs);
};

const createApp = async <D extends HostedConfig>(
  options: ServiceOptions<D>,
  host: Host<ConfigOf<D>>,
  server: PosternServer,
): Promise<NestFastifyApplication> => {
  const app = await NestFactory.create<NestFastifyApplication>(
    withHost(options.module, host),
    new FastifyAdapter({ forceCloseConnections: 'idle', ...options.fastify }),
    { logger: nestLog(host.log), abortOnError: false },
  );
  connectTransport(app, server);
  await options.configure?.(app, host);
  return app;
};

const running = (app: NestFastifyApplication, close: () => Promise<void>, limitMs: number): RunningService => {
  let stopped: Promise<boolean> | undefined;
  return {
    app,
    port: portOf(app),
    stop: () => {
      stopped ??= inTime(close(), limitMs);
      return stopped;
    },
  };
};

const openDatabase = async (
  config: HostConfig,
  migrations: Omit<MigrationOptions, 'databaseUrl'>,
  { name, wallClock }: Pick<ServiceOptions, 'name' | 'wallClock'>,
  log: Host['log'],
): Promise<{ readonly database: Database; readonly clock: DatabaseClock }> => {
  if (!hasDatabase(config)) throw new Error(`${name} has a database: spread databaseSettings into its configuration`);
  const databaseUrl = config.databaseUrl.reveal();
  const applied = await retryUntilAvailable(() => applyMigrations({ ...migrations, databaseUrl }), log, 'PostgreSQL');
  if (applied.length > 0) log.info({ applied }, 'Migrated the database');
  const database = new Database(config, name, log);
  const clock = new DatabaseClock(database.pool, { wallClock });
  await retryUntilAvailable(() => clock.measure(), log, 'PostgreSQL');
  return { database, clock };
};

const hasDatabase = (config: HostConfig): config is HostConfig & DatabaseConfig => 'databaseUrl' in config;

@Module({ imports: [TerminusModule], controllers: [HealthController] })
class OperatorModule {}

@Module({})
class ServiceModule {}

const withHost = (module: Type, host: Host): DynamicModule => ({
  module: ServiceModule,
  imports: [HostModule.of(host), OperatorModule, module],
});

const portOf = (app: NestFastifyApplication): number => {
  const address = app.getHttpServer().address();
  if (address === null || typeof address === 'string') throw new Error('The HTTP server has no port');
  return address.port;
};

const inTime = async (work: Promise<void>, limitMs: number): Promise<boolean> => {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
};
