import type {
  createWebService,
  RequestOf,
  restartWebService,
  rollBackDeployment,
  startWebService,
  stopWebService,
} from '@postern/contracts';
import { type Database, type EventSourcing, type KeyRing, Metrics, type ServiceLog } from '@postern/service-host';
import { CancelDeployment } from '../deployments/cancel-deployment.js';
import { CreateDeployment } from '../deployments/create-deployment.js';
import { Deployments } from '../deployments/deployments.projection.js';
import { GetDeploymentLogs } from '../deployments/get-deployment-logs.js';
import { PostgresBuildQueue } from '../deployments/postgres-build-queue.js';
import { RollBackDeployment } from '../deployments/roll-back-deployment.js';
import { RuntimeAvailability } from '../deployments/runtime-availability.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { WebServiceGauges } from '../infrastructure/telemetry/web-service-gauges.js';
import { WebServiceMetrics } from '../infrastructure/telemetry/web-service-metrics.js';
import { ModerateWebService } from '../moderation/moderate-web-service.js';
import { PlatformSuspensions } from '../moderation/platform-suspensions.js';
import { PostgresWorkspaceUsage } from '../quotas/postgres-workspace-usage.js';
import { BuildDeployment } from '../reconciler/build-deployment.js';
import { CheckAvailability } from '../reconciler/check-availability.js';
import { DeleteOldArtefacts } from '../reconciler/delete-old-artefacts.js';
import { DeleteOldConfigurations } from '../reconciler/delete-old-configurations.js';
import type { ReconcilerSettings } from '../reconciler/ports.js';
import { ReconcileRuntime } from '../reconciler/reconcile-runtime.js';
import { RemoveWebService } from '../reconciler/remove-web-service.js';
import { Reports } from '../reconciler/reports.js';
import { RollRelease } from '../reconciler/roll-release.js';
import { RuntimeScan } from '../reconciler/runtime-scan.js';
import { ServicePlans } from '../reconciler/service-plans.js';
import { StepPlanner } from '../reconciler/step-planner.js';
import { StopInstances } from '../reconciler/stop-instances.js';
import { WebServiceTasks } from '../reconciler/web-service-tasks.js';
import { WebServicesReconciler } from '../reconciler/web-services-reconciler.js';
import { PostgresRepositoryCredentials } from '../repository-credentials/postgres-repository-credentials.js';
import { PostgresSharedNetwork } from '../shared-network/postgres-shared-network.js';
import { ChangeWebService } from '../web-services/change-web-service.js';
import { CreateWebService } from '../web-services/create-web-service.js';
import { DeleteWebService } from '../web-services/delete-web-service.js';
import type { WebServiceRepository, WebServiceSettings } from '../web-services/ports.js';
import { PostgresWebServiceRepository } from '../web-services/postgres-web-service-repository.js';
import { PostgresWebServiceSummaries } from '../web-services/postgres-web-service-summaries.js';
import { RestartWebService } from '../web-services/restart-web-service.js';
import { StartWebService } from '../web-services/start-web-service.js';
import { StopWebService } from '../web-services/stop-web-service.js';
import { WebServiceUrls } from '../web-services/web-service-urls.js';
import { WebServices } from '../web-services/web-services.projection.js';
import type { FakeMachine } from './fake-machine.js';
import { FakeAccounts, type FakeConfigurations, FakeProjects } from './fake-neighbours.js';
import { FakeRuntime } from './fake-runtime.js';

/** Settings of a replica. */
export type Settings = WebServiceSettings & ReconcilerSettings;

/** Short intervals, and deadlines that tests do not reach. */
export const SETTINGS: Settings = {
  allowFileRepositories: false,
  deadlines: { queueMs: 60_000, buildMs: 60_000, releaseMs: 60_000, stopMs: 60_000, preemptMs: 60_000, graceMs: 100 },
  concurrentBuilds: 4,
  retainedReleases: 10,
  pollMs: 25,
  reconcileMs: 100,
  retainMs: 0,
  unansweringMs: 60_000,
};

/** Commands of one replica. Requests resolve when the read models contain the result. */
export interface Commands {
  createWebService(request: RequestOf<typeof createWebService>): Promise<string>;
  readonly lifecycle: {
    start(request: RequestOf<typeof startWebService>): ReturnType<StartWebService['execute']>;
    restart(request: RequestOf<typeof restartWebService>): ReturnType<RestartWebService['execute']>;
    stop(request: RequestOf<typeof stopWebService>): ReturnType<StopWebService['execute']>;
  };
  readonly change: ChangeWebService;
  readonly remove: DeleteWebService;
  readonly deploy: CreateDeployment;
  readonly deploymentLogs: GetDeploymentLogs;
  /** Returns the id of the new deployment. */
  rollBack(request: RequestOf<typeof rollBackDeployment>): Promise<string>;
  readonly cancel: CancelDeployment;
  readonly moderate: ModerateWebService;
  readonly suspensions: PlatformSuspensions;
}

/** A log without output. */
export const silentLog: ServiceLog = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  plain: () => {},
};

/** Objects that the replicas of one test share. */
interface Shared {
  readonly machine: FakeMachine;
  readonly configurations: FakeConfigurations;
  readonly keys: KeyRing;
}

/** Assembles the objects that Nest creates in the service, with a fake runtime and fake modules around it. */
export function assembleReplica(
  { machine, configurations, keys }: Shared,
  database: Database,
  events: EventSourcing,
  settings: Settings,
) {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const metrics = new Metrics('platform-management');
  const observer = new WebServiceMetrics(metrics, silentLog);
  new WebServiceGauges(database, metrics);
  const repository = new PostgresWebServiceRepository(events, observer);
  const summaries = new PostgresWebServiceSummaries(database, prisma);
  const runtime = new FakeRuntime(machine);
  const services = new WebServices(database, new WebServiceUrls(runtime, silentLog), new FakeProjects());
  const buildQueue = new PostgresBuildQueue(database);
  const deployments = new Deployments(database, services, new RuntimeAvailability(runtime), buildQueue);

  const credentials = new PostgresRepositoryCredentials(database, prisma, keys);
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
    new BuildDeployment(
      reports,
      configurations,
      credentials,
      runtime,
      settings,
      new FakeProjects(),
      new PostgresSharedNetwork(runtime, database),
    ),
    new RollRelease(reports, configurations, runtime, settings),
    new StopInstances(reports, runtime),
    new RemoveWebService(reports, runtime),
    scan,
    runtime,
  );
  const reconciler = new WebServicesReconciler(
    repository,
    summaries,
    buildQueue,
    planner,
    tasks,
    scan,
    settings,
    silentLog,
  );
  const commands = commandsOf({ repository, runtime, services, deployments, database, settings });
  return {
    runtime,
    credentials,
    repository,
    reconciler,
    metrics,
    commands,
    deleteOldConfigurations: (historyOf: WebServiceRepository['historyOf'] = (...of) => repository.historyOf(...of)) =>
      new DeleteOldConfigurations({ historyOf }, summaries, configurations, settings),
  };
}

interface CommandParts {
  readonly repository: PostgresWebServiceRepository;
  readonly runtime: FakeRuntime;
  readonly services: WebServices;
  readonly deployments: Deployments;
  readonly database: Database;
  readonly settings: Settings;
}

function commandsOf({ repository, runtime, services, deployments, database, settings }: CommandParts): Commands {
  const usage = new PostgresWorkspaceUsage(database);
  const projects = new FakeProjects();
  const create = new CreateWebService(repository, projects, settings, services, usage);
  const rollBack = new RollBackDeployment(repository, settings, deployments, services);
  return {
    createWebService: async request => (await create.execute(request)).id,
    lifecycle: {
      start: request => new StartWebService(repository, services).execute(request),
      restart: request => new RestartWebService(repository, services).execute(request),
      stop: request => new StopWebService(repository, services).execute(request),
    },
    change: new ChangeWebService(repository, services, projects, usage, settings, runtime, services),
    remove: new DeleteWebService(repository, services),
    deploymentLogs: new GetDeploymentLogs(services, deployments, runtime),
    deploy: new CreateDeployment(repository, deployments, services),
    rollBack: async request => (await rollBack.execute(request)).id,
    cancel: new CancelDeployment(repository, deployments, services),
    moderate: new ModerateWebService(repository, new FakeAccounts(), services),
    suspensions: new PlatformSuspensions(repository),
  };
}
