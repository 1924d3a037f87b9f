import { setTimeout as pause } from 'node:timers/promises';
import { createWebService as creation, deploymentInput, type RequestInput } from '@postern/contracts';
import type { EventMetadata } from '@postern/event-sourcing';
import { migrateEventStore, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { applyMigrations, Metrics, type ServiceLog } from '@postern/service-host';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type Account, AccountDirectory } from '../accounts/ports.js';
import { CancelDeployment } from '../deployments/cancel-deployment.js';
import { CreateDeployment } from '../deployments/create-deployment.js';
import { RollBackDeployment } from '../deployments/roll-back-deployment.js';
import { PostgresLeadership } from '../infrastructure/postgres/postgres-leadership.js';
import { PlatformGauges } from '../infrastructure/telemetry/web-service-gauges.js';
import { ObservedPlatform } from '../infrastructure/telemetry/web-service-metrics.js';
import { ModerateWebService } from '../moderation/moderate-web-service.js';
import { SuspendWebService } from '../moderation/suspend-web-service.js';
import { LookAfterServices } from '../reconciler/check-availability.js';
import { RetainArtefacts } from '../reconciler/delete-old-artefacts.js';
import { RetainConfigurations } from '../reconciler/delete-old-configurations.js';
import { LaneSupplies } from '../reconciler/lane-supplies.js';
import { ReconcileRuntime } from '../reconciler/reconcile-runtime.js';
import { SurveyRuntime } from '../reconciler/runtime-scan.js';
import { ServicePlans } from '../reconciler/service-plans.js';
import { ServiceWork } from '../reconciler/service-work.js';
import { DriveWebServices } from '../reconciler/web-services-reconciler.js';
import { ChangeLifecycle } from '../web-services/change-lifecycle.js';
import { CreateWebService } from '../web-services/create-web-service.js';
import {
  type Configuration,
  ProjectOwners,
  ReleaseConfigurations,
  type WebServiceLedger,
  type WebServiceSettings,
} from '../web-services/ports.js';
import { PostgresWebServiceLedger } from '../web-services/postgres-web-service-repository.js';
import { PostgresWebServiceStandings } from '../web-services/postgres-web-service-summaries.js';
import { webServices } from '../web-services/web-services.projection.js';
import { FakeMachine } from './fake-machine.js';
import { FakeRuntime } from './fake-runtime.js';

export const OWNER = uuidv7();
export const OPERATOR = uuidv7();
export const PROJECT = uuidv7();

const silentLog: ServiceLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

class FakeProjects extends ProjectOwners {
  override async ownerOf(projectId: string): Promise<string | undefined> {
    return projectId === PROJECT ? OWNER : undefined;
  }
}

class FakeAccounts extends AccountDirectory {
  override async find(id: string): Promise<Account | undefined> {
    return { id, email: 'ada@example.com', operator: id === OPERATOR, createdAt: new Date(), workspaces: [] };
  }
}

/** Today's configuration is the test's to set; what is sealed outlives every process. */
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
  override async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.sealed.delete(id);
  }
}

const SETTINGS: WebServiceSettings = {
  allowFileRepositories: false,
  deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 60_000, graceMs: 100 },
  concurrentBuilds: 4,
  retainedReleases: 10,
  pollMs: 25,
  reconcileMs: 100,
  retainMs: 0,
  unansweringMs: 60_000,
};

/** A replica of the service, without NATS. */
export interface Replica {
  readonly runtime: FakeRuntime;
  readonly commands: {
    readonly create: CreateWebService;
    readonly lifecycle: ChangeLifecycle;
    readonly deploy: CreateDeployment;
    readonly rollBack: RollBackDeployment;
    readonly cancel: CancelDeployment;
    readonly moderate: ModerateWebService;
    readonly suspensions: SuspendWebService;
  };
  readonly ledger: PostgresWebServiceLedger;
  /** One that has looked at nothing yet. */
  retainConfigurations(historyOf?: WebServiceLedger['historyOf']): RetainConfigurations;
  /** What it shows to Prometheus. */
  readonly metrics: Metrics;
  /** As kill -9 does it: from now on, nothing that it does has any effect on database and machine. */
  kill(): Promise<void>;
  /** As SIGTERM does it. */
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

  async replica(changes: Partial<WebServiceSettings> = {}, drives = true): Promise<Replica> {
    const settings = { ...SETTINGS, ...changes };
    const name = `replica-${++this.#names}`;
    const pool = new pg.Pool({ connectionString: this.databaseUrl, max: 8, application_name: name });
    pool.on('error', () => {});
    const store = new PostgresEventStore(pool);
    const runner = new ProjectionRunner({ store, projections: [webServices], pollMs: 50 });
    await runner.start();
    const metrics = new Metrics('platform-management');
    const observer = new ObservedPlatform(metrics, silentLog);
    new PlatformGauges({ pool }, metrics);
    const ledger = new PostgresWebServiceLedger({
      store,
      waitUntil: position => runner.waitUntil(webServices.name, position, 10_000),
      metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
      observer,
    });
    const standings = new PostgresWebServiceStandings(pool);
    const runtime = new FakeRuntime(this.machine);
    const work = new ServiceWork(ledger, this.configurations, runtime, settings);
    const reconcile = new ReconcileRuntime(
      ledger,
      standings,
      new ServicePlans(this.configurations, settings, silentLog),
      runtime,
      settings,
    );
    const retain = new RetainArtefacts(ledger, standings, runtime, settings);
    const lookAfter = new LookAfterServices(ledger, standings, runtime, settings, observer);
    const survey = new SurveyRuntime(reconcile, lookAfter, retain, settings, silentLog);
    const leadership = new PostgresLeadership(pool);
    const driver = new DriveWebServices(
      new LaneSupplies(ledger, work, settings, silentLog),
      standings,
      survey,
      leadership,
    );
    const stopping = new AbortController();
    const driving = drives ? repeat(signal => driver.run(signal), stopping.signal) : Promise.resolve();
    const replica: Replica = {
      runtime,
      ledger,
      retainConfigurations: (historyOf = (...of) => ledger.historyOf(...of)) =>
        new RetainConfigurations({ historyOf }, standings, this.configurations, settings),
      metrics,
      commands: {
        create: new CreateWebService(ledger, new FakeProjects(), settings),
        lifecycle: new ChangeLifecycle(ledger),
        deploy: new CreateDeployment(ledger),
        rollBack: new RollBackDeployment(ledger, settings),
        cancel: new CancelDeployment(ledger),
        moderate: new ModerateWebService(ledger, new FakeAccounts()),
        suspensions: new SuspendWebService(ledger),
      },
      kill: async () => {
        this.#replicas.delete(replica);
        runtime.kill();
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
        await pool.end();
      },
    };
    this.#replicas.add(replica);
    return replica;
  }

  async createService({ commands }: Replica, wishes: Partial<RequestInput<typeof creation>> = {}): Promise<string> {
    const request = creation.request.parse({
      user_id: OWNER,
      project_id: PROJECT,
      name: 'shop',
      git_repository_url: 'https://git.example.com/shop.git',
      port: 3000,
      ...wishes,
    });
    return commands.create.execute(request);
  }

  deploy({ commands }: Replica, id: string, branch?: string): Promise<string> {
    return commands.deploy.execute({ user_id: OWNER, web_service_id: id, ...deploymentInput.parse({ branch }) });
  }

  /** A service with one live deployment. */
  async runningService(replica: Replica, wishes: Partial<RequestInput<typeof creation>> = {}) {
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
