import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { v7 as uuidv7 } from 'uuid';
import { CancelDeployment } from '../deployments/cancel-deployment.js';
import { CreateDeployment } from '../deployments/create-deployment.js';
import { DeploymentsController } from '../deployments/deployments.controller.js';
import { RollBackDeployment } from '../deployments/roll-back-deployment.js';
import { PostgresLeadership } from '../infrastructure/postgres/postgres-leadership.js';
import { PlatformGauges } from '../infrastructure/telemetry/web-service-gauges.js';
import { ObservedPlatform } from '../infrastructure/telemetry/web-service-metrics.js';
import { Suspensions } from '../metrics/ports.js';
import { ModerateWebService } from '../moderation/moderate-web-service.js';
import { SuspendWebService } from '../moderation/suspend-web-service.js';
import { ProjectOwnerRows } from '../projects/project-owner-rows.js';
import { LookAfterServices } from '../reconciler/check-availability.js';
import { RetainArtefacts } from '../reconciler/delete-old-artefacts.js';
import { RetainConfigurations } from '../reconciler/delete-old-configurations.js';
import { LaneSupplies } from '../reconciler/lane-supplies.js';
import { ReconcileRuntime } from '../reconciler/reconcile-runtime.js';
import { SurveyRuntime } from '../reconciler/runtime-scan.js';
import { ServicePlans } from '../reconciler/service-plans.js';
import { ServiceWork } from '../reconciler/service-work.js';
import { DriveWebServices } from '../reconciler/web-services-reconciler.js';
import { ChangeLifecycle } from './change-lifecycle.js';
import { CreateWebService } from './create-web-service.js';
import { GetLogs } from './get-logs.js';
import { LogsController } from './logs.controller.js';
import { PlatformObserver } from './platform-observer.js';
import { Leadership, ProjectOwners, WebServiceLedger, WebServiceSettings, WebServiceStandings } from './ports.js';
import { PostgresWebServiceLedger } from './postgres-web-service-repository.js';
import { PostgresWebServiceStandings } from './postgres-web-service-summaries.js';
import type { webServicesSettings } from './settings.js';
import { ServiceAddresses } from './web-service-urls.js';
import { WebServicesController } from './web-services.controller.js';
import { WebServices, webServices } from './web-services.projection.js';

type Config = ConfigOf<ConfigDefinition<typeof webServicesSettings>>;

const POLL_MS = 500;
/** How much later than the runtime the driver ends something: the runtime's words name the last answer. */
const GRACE_MS = 5_000;
const RETAIN_MS = 60_000;
/** How soon a replica that does not lead tries again to. */
const SUCCESSION_MS = 1_000;

export const settingsFrom = (config: Config): WebServiceSettings => ({
  allowFileRepositories: config.platformAllowFileRepositories,
  deadlines: {
    queueMs: config.platformQueueDeadlineMs,
    buildMs: config.platformBuildDeadlineMs,
    releaseMs: config.platformReleaseDeadlineMs,
    stopMs: config.platformStopDeadlineMs,
    graceMs: GRACE_MS,
  },
  concurrentBuilds: config.platformConcurrentBuilds,
  retainedReleases: config.platformRetainedReleases,
  pollMs: POLL_MS,
  reconcileMs: config.platformReconcileMs,
  retainMs: RETAIN_MS,
  unansweringMs: config.platformUnansweringMs,
});

/** Starts the driving of web services, and what is tidied beside it; one replica does it, the others stand by. */
@Injectable()
export class WebServiceTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly driving: DriveWebServices,
    private readonly leadership: Leadership,
    private readonly retaining: RetainConfigurations,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(SUCCESSION_MS, 'drive web services', signal => this.driving.run(signal));
    this.tasks.every(RETAIN_MS, 'retain configurations', async signal => {
      await this.leadership.lead('retain-configurations', signal, lost => this.retaining.run(lost));
    });
  }
}

export const webServicesProjections = [webServices];
export const webServicesControllers = [WebServicesController, DeploymentsController, LogsController];

/**
 * Needs `PostgresEventStore`, `ProjectionRunner` with `webServicesProjections`, `PrismaClient`, `AccountDirectory`,
 * `Runtime` and `ReleaseConfigurations` beside it.
 */
export const webServicesProviders: Provider[] = [
  { provide: PlatformObserver, useClass: ObservedPlatform },
  PlatformGauges,
  { provide: WebServiceSettings, inject: [CONFIG], useFactory: settingsFrom },
  {
    provide: WebServiceLedger,
    inject: [PostgresEventStore, ProjectionRunner, PlatformObserver],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner, observer: PlatformObserver) =>
      new PostgresWebServiceLedger({
        store,
        waitUntil: position => runner.waitUntil(webServices.name, position),
        // The driver's work belongs to no request and begins a correlation of its own.
        metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
        observer,
      }),
  },
  {
    provide: WebServiceStandings,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresWebServiceStandings(pool),
  },
  { provide: ProjectOwners, inject: [Database], useFactory: ({ pool }: Database) => new ProjectOwnerRows(pool) },
  { provide: Leadership, inject: [Database], useFactory: ({ pool }: Database) => new PostgresLeadership(pool) },
  WebServices,
  ServiceAddresses,
  CreateWebService,
  ChangeLifecycle,
  GetLogs,
  CreateDeployment,
  RollBackDeployment,
  CancelDeployment,
  ModerateWebService,
  { provide: Suspensions, useClass: SuspendWebService },
  ServiceWork,
  LaneSupplies,
  ServicePlans,
  ReconcileRuntime,
  LookAfterServices,
  RetainArtefacts,
  RetainConfigurations,
  SurveyRuntime,
  DriveWebServices,
  WebServiceTimers,
];
