import { setTimeout as pause } from 'node:timers/promises';
import {
  createWebService,
  deploymentInput,
  type RequestInput,
  type RequestOf,
  type restartWebService,
  type rollBackDeployment,
  type startWebService,
  type stopWebService,
} from '@postern/contracts';
import type { EventMetadata } from '@postern/event-sourcing';
import { migrateEventStore, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { applyMigrations, Database, EventSourcing, Metrics, type ServiceLog } from '@postern/service-host';
import { Secret } from '@postern/service-host/config';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type Account, AccountDirectory } from '../accounts/ports.js';
import { CancelDeployment } from '../deployments/cancel-deployment.js';
import { CreateDeployment } from '../deployments/create-deployment.js';
import { Deployments } from '../deployments/deployments.projection.js';
import { RollBackDeployment } from '../deployments/roll-back-deployment.js';
import { RuntimeAvailability } from '../deployments/runtime-availability.js';
import { type Configuration, ReleaseConfigurations } from '../environment/ports.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { PostgresLeadership } from '../infrastructure/postgres/postgres-leadership.js';
import { webServices } from '../infrastructure/postgres/web-services.projection.js';
import { WebServiceGauges } from '../infrastructure/telemetry/web-service-gauges.js';
import { WebServiceMetrics } from '../infrastructure/telemetry/web-service-metrics.js';
import { ModerateWebService } from '../moderation/moderate-web-service.js';
import { PlatformSuspensions } from '../moderation/platform-suspensions.js';
import { type ProjectOwner, ProjectOwners } from '../projects/ports.js';
import { PostgresWorkspaceUsage } from '../quotas/postgres-workspace-usage.js';
import { BuildDeployment } from '../reconciler/build-deployment.js';
import { CheckAvailability } from '../reconciler/check-availability.js';
import { DeleteOldArtefacts } from '../reconciler/delete-old-artefacts.js';
import { DeleteOldConfigurations } from '../reconciler/delete-old-configurations.js';
import type { ReconcilerSettings } from '../reconciler/ports.js';
import { ReconcileRuntime } from '../reconciler/reconcile-runtime.js';
import { Reports } from '../reconciler/reports.js';
import { RollRelease } from '../reconciler/roll-release.js';
import { RuntimeScan } from '../reconciler/runtime-scan.js';
import { ServicePlans } from '../reconciler/service-plans.js';
import { StepPlanner } from '../reconciler/step-planner.js';
import { StopInstances } from '../reconciler/stop-instances.js';
import { WebServiceTasks } from '../reconciler/web-service-tasks.js';
import { WebServicesReconciler } from '../reconciler/web-services-reconciler.js';
import { CreateWebService } from '../web-services/create-web-service.js';
import type { WebServiceRepository, WebServiceSettings } from '../web-services/ports.js';
import { PostgresWebServiceRepository } from '../web-services/postgres-web-service-repository.js';
import { PostgresWebServiceSummaries } from '../web-services/postgres-web-service-summaries.js';
import { RestartWebService } from '../web-services/restart-web-service.js';
import { StartWebService } from '../web-services/start-web-service.js';
import { StopWebService } from '../web-services/stop-web-service.js';
import { WebServiceUrls } from '../web-services/web-service-urls.js';
import { WebServices } from '../web-services/web-services.projection.js';
import { FakeMachine } from './fake-machine.js';
import { FakeRuntime } from './fake-runtime.js';

export const OWNER = uuidv7();
export const OPERATOR = uuidv7();
export const PROJECT = uuidv7();
export const WORKSPACE = uuidv7();

const silentLog: ServiceLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

class FakeProjects extends ProjectOwners {
  override async ownerOf(projectId: string): Promise<ProjectOwner | undefined> {
    return projectId === PROJECT ? { userId: OWNER, workspaceId: WORKSPACE } : undefined;
  }
}

class FakeAccounts extends AccountDirectory {
  override async find(id: string): Promise<Account | undefined> {
    return { id, email: 'ada@example.com', operator: id === OPERATOR, createdAt: new Date(), workspaces: [] };
  }
  override async findWorkspace(): Promise<undefined> {}
}

/** Configurations in memory, which outlive every replica. A test sets the current one as `today`. */
export class FakeConfigurations extends ReleaseConfigurations {
  today: Configuration = { environment: {}, secrets: [] };
  readonly sealed = new Map<string, Configuration>();

  override async current(): Promise<Configuration> {
    return this.today;
  }
  override async seal(id: string, configuration: Configuration): Promise<void> {
    this.sealed.set(id, configuration);
  }
  override async open(id: string): Promise<Configuration> {
    const configuration = this.sealed.get(id);
    if (!configuration) throw new Error(`nothing is sealed under ${id}`);
    return configuration;
  }
  override async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.sealed.delete(id);
  }
}

type Settings = WebServiceSettings & ReconcilerSettings;

const SETTINGS: Settings = {
  allowFileRepositories: false,
  deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 60_000, graceMs: 100 },
  concurrentBuilds: 4,
  retainedReleases: 10,
  pollMs: 25,
  reconcileMs: 100,
  retainMs: 0,
  unansweringMs: 60_000,
};

/** Commands of one replica. Requests are answered when the read models show the result. */
interface Commands {
  createWebService(request: RequestOf<typeof createWebService>): Promise<string>;
  readonly lifecycle: {
    start(request: RequestOf<typeof startWebService>): ReturnType<StartWebService['execute']>;
    restart(request: RequestOf<typeof restartWebService>): ReturnType<RestartWebService['execute']>;
    stop(request: RequestOf<typeof stopWebService>): ReturnType<StopWebService['execute']>;
  };
  readonly deploy: CreateDeployment;
  /** Returns the id of the new deployment. */
  rollBack(request: RequestOf<typeof rollBackDeployment>): Promise<string>;
  readonly cancel: CancelDeployment;
  readonly moderate: ModerateWebService;
  readonly suspensions: PlatformSuspensions;
}

/** A replica of the service, without NATS. */
export interface Replica {
  readonly runtime: FakeRuntime;
  readonly commands: Commands;
  readonly repository: PostgresWebServiceRepository;
  /** A new instance, which has checked no web service yet. */
  deleteOldConfigurations(historyOf?: WebServiceRepository['historyOf']): DeleteOldConfigurations;
  /** What it exports to Prometheus. */
  readonly metrics: Metrics;
  /** Like kill -9: from now on it changes neither the database nor the machine. */
  kill(): Promise<void>;
  /** Like SIGTERM. */
  stop(): Promise<void>;
}

export interface DeploymentRow {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** Replicas of web services over one real PostgreSQL and one fake machine. */
export class WebServicesFixture {
  readonly machine = new FakeMachine();
  readonly configurations = new FakeConfigurations();
  readonly #replicas = new Set<Replica>();
  #names = 0;

  private constructor(
    readonly postgres: TestPostgres,
    readonly databaseUrl: string,
    readonly pool: pg.Pool,
  ) {}

  static async start(): Promise<WebServicesFixture> {
    const postgres = await startPostgres({ durable: false });
    const databaseUrl = await postgres.createDatabase();
    const directory = new URL('../../../../prisma/platform-management/migrations', import.meta.url);
    await applyMigrations({ databaseUrl, directory, afterwards: migrateEventStore });
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', () => {});
    return new WebServicesFixture(postgres, databaseUrl, pool);
  }

  async stop(): Promise<void> {
    await this.stopReplicas();
    await this.pool.end();
    await this.postgres.stop();
  }

  async stopReplicas(): Promise<void> {
    await Promise.all([...this.#replicas].map(replica => replica.stop()));
  }

  async replica(changes: Partial<Settings> = {}, drives = true): Promise<Replica> {
    const settings = { ...SETTINGS, ...changes };
    const name = `replica-${++this.#names}`;
    const database = this.#openDatabase(name);
    const { pool } = database;
    const store = new PostgresEventStore(pool);
    const runner = new ProjectionRunner({ store, projections: [webServices], pollMs: 50 });
    const parts = this.#assemble(database, store, runner, settings);
    await runner.start();
    const stopping = new AbortController();
    const driving = drives ? repeat(signal => parts.reconciler.run(signal), stopping.signal) : Promise.resolve();
    const replica: Replica = {
      ...parts,
      kill: async () => {
        this.#replicas.delete(replica);
        parts.runtime.kill();
        pool.connect = pool.query = () => Promise.reject(new Error('the process was killed'));
        stopping.abort();
        await this.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
          name,
        ]);
        await Promise.all([driving, runner.stop()]);
      },
      stop: async () => {
        this.#replicas.delete(replica);
        stopping.abort();
        await driving;
        await runner.stop();
        await database.close();
      },
    };
    this.#replicas.add(replica);
    return replica;
  }

  #openDatabase(name: string): Database {
    const config = {
      databaseUrl: new Secret(this.databaseUrl),
      databasePoolSize: 8,
      databaseStatementTimeoutMs: 30_000,
      databaseIdleInTransactionTimeoutMs: 30_000,
    };
    return new Database(config, name, silentLog);
  }

  /** What Nest wires in the service, with a fake runtime and fake neighbours. */
  #assemble(database: Database, store: PostgresEventStore, runner: ProjectionRunner, settings: Settings) {
    const { configurations } = this;
    const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
    const metrics = new Metrics('platform-management');
    const observer = new WebServiceMetrics(metrics, silentLog);
    new WebServiceGauges(database, metrics);
    const repository = new PostgresWebServiceRepository(new EventSourcing(store, runner), observer);
    const summaries = new PostgresWebServiceSummaries(database, prisma);
    const runtime = new FakeRuntime(this.machine);
    const services = new WebServices(database, prisma, new WebServiceUrls(runtime, silentLog));
    const deployments = new Deployments(database, services, new RuntimeAvailability(runtime));

    const planner = new StepPlanner(repository, settings);
    const reports = new Reports(repository);
    const scan = new RuntimeScan(
      new ReconcileRuntime(summaries, planner, new ServicePlans(configurations, settings, silentLog), runtime),
      new CheckAvailability(repository, summaries, runtime, settings, observer),
      new DeleteOldArtefacts(repository, summaries, runtime, settings),
      settings,
      silentLog,
    );
    const tasks = new WebServiceTasks(
      reports,
      new BuildDeployment(reports, configurations, runtime, settings),
      new RollRelease(reports, configurations, runtime, settings),
      new StopInstances(reports, runtime),
      scan,
      runtime,
    );
    const leadership = new PostgresLeadership(database);
    const reconciler = new WebServicesReconciler(
      leadership,
      repository,
      summaries,
      planner,
      tasks,
      scan,
      settings,
      silentLog,
    );
    const create = new CreateWebService(
      repository,
      new FakeProjects(),
      settings,
      services,
      new PostgresWorkspaceUsage(database),
    );
    const rollBack = new RollBackDeployment(repository, settings, deployments);
    const commands: Commands = {
      createWebService: async request => (await create.execute(request)).id,
      lifecycle: {
        start: request => new StartWebService(repository).execute(request),
        restart: request => new RestartWebService(repository).execute(request),
        stop: request => new StopWebService(repository).execute(request),
      },
      deploy: new CreateDeployment(repository, deployments),
      rollBack: async request => (await rollBack.execute(request)).id,
      cancel: new CancelDeployment(repository, deployments),
      moderate: new ModerateWebService(repository, new FakeAccounts(), services),
      suspensions: new PlatformSuspensions(repository),
    };
    return {
      runtime,
      repository,
      reconciler,
      metrics,
      commands,
      deleteOldConfigurations: (
        historyOf: WebServiceRepository['historyOf'] = (...of) => repository.historyOf(...of),
      ) => new DeleteOldConfigurations({ historyOf }, summaries, configurations, settings),
    };
  }

  async createService(
    { commands }: Replica,
    wishes: Partial<RequestInput<typeof createWebService>> = {},
  ): Promise<string> {
    const request = createWebService.request.parse({
      user_id: OWNER,
      project_id: PROJECT,
      name: 'shop',
      git_repository_url: 'https://git.example.com/shop.git',
      port: 3000,
      ...wishes,
    });
    return commands.createWebService(request);
  }

  async deploy({ commands }: Replica, id: string, branch?: string): Promise<string> {
    const request = { user_id: OWNER, web_service_id: id, ...deploymentInput.parse({ branch }) };
    return (await commands.deploy.execute(request)).id;
  }

  /** A service with one live deployment. */
  async runningService(replica: Replica, wishes: Partial<RequestInput<typeof createWebService>> = {}) {
    const id = await this.createService(replica, wishes);
    const deploymentId = await this.deploy(replica, id);
    await this.untilDeployment(deploymentId, 'live');
    return { id, deploymentId };
  }

  async deployment(id: string): Promise<DeploymentRow> {
    const { rows } = await this.pool.query<DeploymentRow>('SELECT * FROM deployments WHERE id = $1', [id]);
    return rows[0]!;
  }

  untilDeployment(id: string, status: string): Promise<DeploymentRow> {
    return waitFor(
      async () => {
        const row = await this.deployment(id);
        return row?.status === status ? row : undefined;
      },
      { describe: `deployment ${id} to be ${status}` },
    ).catch(async error => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await this.deployment(id))}`);
    });
  }

  async service(id: string): Promise<{ status: string; status_reason: string | null }> {
    const { rows } = await this.pool.query('SELECT * FROM web_services WHERE id = $1', [id]);
    return rows[0];
  }

  untilService(id: string, status: string): Promise<{ status: string; status_reason: string | null }> {
    return waitFor(
      async () => {
        const row = await this.service(id);
        return row.status === status ? row : undefined;
      },
      { describe: `web service ${id} to be ${status}` },
    ).catch(async error => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await this.service(id))}`);
    });
  }

  async deploymentsOf(id: string): Promise<DeploymentRow[]> {
    const { rows } = await this.pool.query<DeploymentRow>(
      'SELECT * FROM deployments WHERE web_service_id = $1 ORDER BY number',
      [id],
    );
    return rows;
  }

  async eventsOf(id: string): Promise<string[]> {
    const events = await new PostgresEventStore(this.pool).readStream(`web-service-${id}`);
    return events.map(({ type }) => type.replace(/^platform-management\.|\.v1$/g, ''));
  }

  /** To whom the events of a service belong, in their order. */
  async metadataOf(id: string): Promise<EventMetadata[]> {
    const events = await new PostgresEventStore(this.pool).readStream(`web-service-${id}`);
    return events.map(({ metadata }) => metadata);
  }
}

/** Something that a test opens. */
export class Latch {
  readonly #opened = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  /** Waits until the latch is opened; who waits for `reached` hears of it. */
  readonly wait = (): Promise<void> => {
    this.#reached.resolve();
    return this.#opened.promise;
  };
  get reached(): Promise<void> {
    return this.#reached.promise;
  }
  open(): void {
    this.#opened.resolve();
  }
}

async function repeat(work: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await work(stop).catch(() => {});
    await pause(20, undefined, { signal: stop }).catch(() => {});
  }
}
