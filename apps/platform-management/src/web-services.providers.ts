import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { v7 as uuidv7 } from 'uuid';
import { DeploymentsController } from './adapters/nats/deployments.controller.js';
import { LogsController } from './adapters/nats/logs.controller.js';
import { WebServicesController } from './adapters/nats/web-services.controller.js';
import { PostgresLeadership } from './adapters/postgres/postgres-leadership.js';
import { ProjectOwnerRows } from './adapters/postgres/project-owner-rows.js';
import { PostgresWebServiceLedger } from './adapters/postgres/web-service-ledger.js';
import { PostgresWebServiceStandings } from './adapters/postgres/web-service-standings.js';
import { ObservedPlatform } from './adapters/telemetry/observed-platform.js';
import { PlatformGauges } from './adapters/telemetry/platform-gauges.js';
import { CancelDeployment } from './commands/deployments/cancel-deployment.js';
import { CreateDeployment } from './commands/deployments/create-deployment.js';
import { RollBackDeployment } from './commands/deployments/roll-back-deployment.js';
import { ModerateWebService } from './commands/moderation/moderate-web-service.js';
import { SuspendWebService } from './commands/moderation/suspend-web-service.js';
import { ChangeLifecycle } from './commands/web-services/change-lifecycle.js';
import { CreateWebService } from './commands/web-services/create-web-service.js';
import { GetLogs } from './commands/web-services/get-logs.js';
import { ServiceAddresses } from './commands/web-services/service-addresses.js';
import { Suspensions } from './ports/metrics.js';
import { PlatformObserver } from './ports/platform-observer.js';
import {
  Leadership,
  ProjectOwners,
  WebServiceLedger,
  WebServiceSettings,
  WebServiceStandings,
} from './ports/web-services.js';
import { WebServices, webServices } from './projections/web-services.js';
import { DriveWebServices } from './reactions/drive-web-services.js';
import { LaneSupplies } from './reactions/lane-supplies.js';
import { LookAfterServices } from './reactions/look-after-services.js';
import { ReconcileRuntime } from './reactions/reconcile-runtime.js';
import { RetainArtefacts } from './reactions/retain-artefacts.js';
import { RetainConfigurations } from './reactions/retain-configurations.js';
import { ServicePlans } from './reactions/service-plans.js';
import { ServiceWork } from './reactions/service-work.js';
import { SurveyRuntime } from './reactions/survey-runtime.js';
import type { webServicesSettings } from './web-services-settings.js';

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
