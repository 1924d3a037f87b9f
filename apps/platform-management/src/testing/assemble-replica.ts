import type {
  createWebService,
  RequestOf,
  restartWebService,
  rollBackDeployment,
  startWebService,
  stopWebService,
} from '@postern/contracts';
import { type Database, type EventSourcing, type KeyRing, Metrics, type ServiceLog } from '@postern/service-host';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { SharedNetwork } from '../shared-network/shared-network.js';
import { BuildQueue } from '../web-services/deployments/build-queue.js';
import { CancelDeployment } from '../web-services/deployments/cancel-deployment.js';
import { CreateDeployment } from '../web-services/deployments/create-deployment.js';
import { Deployments } from '../web-services/deployments/deployments.projection.js';
import { GetDeploymentLogs } from '../web-services/deployments/get-deployment-logs.js';
import { RollBackDeployment } from '../web-services/deployments/roll-back-deployment.js';
import { RuntimeAvailability } from '../web-services/deployments/runtime-availability.js';
import { PlatformVariables } from '../web-services/environment/platform-variables.js';
import { ModerateWebService } from '../web-services/moderation/moderate-web-service.js';
import { PlatformSuspensions } from '../web-services/moderation/platform-suspensions.js';
import { BuildDeployment } from '../web-services/reconciler/build-deployment.js';
import { CheckAvailability } from '../web-services/reconciler/check-availability.js';
import { DeleteOldArtefacts } from '../web-services/reconciler/delete-old-artefacts.js';
import { DeleteOldConfigurations } from '../web-services/reconciler/delete-old-configurations.js';
import type { ReconcilerSettings } from '../web-services/reconciler/ports.js';
import { ReconcileRuntime } from '../web-services/reconciler/reconcile-runtime.js';
import { RemoveWebService } from '../web-services/reconciler/remove-web-service.js';
import { Reports } from '../web-services/reconciler/reports.js';
import { RollRelease } from '../web-services/reconciler/roll-release.js';
import { RuntimeScan } from '../web-services/reconciler/runtime-scan.js';
import { ServicePlans } from '../web-services/reconciler/service-plans.js';
import { StepPlanner } from '../web-services/reconciler/step-planner.js';
import { StopInstances } from '../web-services/reconciler/stop-instances.js';
import { WebServiceTasks } from '../web-services/reconciler/web-service-tasks.js';
import { WebServicesReconciler } from '../web-services/reconciler/web-services-reconciler.js';
import { RepositoryCredentials } from '../web-services/repository-credentials/repository-credentials.js';
import { ChangeWebService } from '../web-services/services/change-web-service.js';
import { CreateWebService } from '../web-services/services/create-web-service.js';
import { DeleteWebService } from '../web-services/services/delete-web-service.js';
import type { WebServiceSettings } from '../web-services/services/ports.js';
import { RestartWebService } from '../web-services/services/restart-web-service.js';
import { StartWebService } from '../web-services/services/start-web-service.js';
import { StopWebService } from '../web-services/services/stop-web-service.js';
import { WebServiceGauges } from '../web-services/services/telemetry/web-service-gauges.js';
import { WebServiceMetrics } from '../web-services/services/telemetry/web-service-metrics.js';
import { WebServiceRepository } from '../web-services/services/web-service-repository.js';
import { WebServiceSummaries } from '../web-services/services/web-service-summaries.js';
import { WebServiceUrls } from '../web-services/services/web-service-urls.js';
import { WebServices } from '../web-services/services/web-services.projection.js';
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
  const repository = new WebServiceRepository(events, observer);
  const summaries = new WebServiceSummaries(database, prisma);
  const runtime = new FakeRuntime(machine);
  const urls = new WebServiceUrls(runtime, silentLog);
  const services = new WebServices(database, urls, new FakeProjects());
  const platformVariables = new PlatformVariables(urls);
  const buildQueue = new BuildQueue(database);
  const deployments = new Deployments(database, services, new RuntimeAvailability(runtime), buildQueue);

  const credentials = new RepositoryCredentials(database, prisma, keys);
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
      platformVariables,
      credentials,
      runtime,
      settings,
      new FakeProjects(),
      new SharedNetwork(runtime, database),
    ),
    new RollRelease(reports, configurations, platformVariables, runtime, settings),
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
    platformVariables,
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
  readonly repository: WebServiceRepository;
  readonly runtime: FakeRuntime;
  readonly services: WebServices;
  readonly deployments: Deployments;
  readonly database: Database;
  readonly settings: Settings;
}

function commandsOf({ repository, runtime, services, deployments, database, settings }: CommandParts): Commands {
  const usage = new WorkspaceUsage(database);
  const projects = new FakeProjects();
  const create = new CreateWebService(repository, projects, settings, services, usage, runtime);
  const rollBack = new RollBackDeployment(repository, settings, deployments, services);
  return {
    createWebService: async request => (await create.execute(request)).id,
    lifecycle: {
      start: request => new StartWebService(repository, services).execute(request),
      restart: request => new RestartWebService(repository, services).execute(request),
      stop: request => new StopWebService(repository, services).execute(request),
    },
    change: new ChangeWebService(repository, projects, usage, settings, runtime, services),
    remove: new DeleteWebService(repository, services),
    deploymentLogs: new GetDeploymentLogs(services, deployments, runtime),
    deploy: new CreateDeployment(repository, deployments, services),
    rollBack: async request => (await rollBack.execute(request)).id,
    cancel: new CancelDeployment(repository, deployments, services),
    moderate: new ModerateWebService(repository, new FakeAccounts(), services),
    suspensions: new PlatformSuspensions(repository),
  };
}
