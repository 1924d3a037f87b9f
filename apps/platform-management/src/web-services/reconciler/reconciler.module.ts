import { Module } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { SharedNetworkModule } from '../../shared-network/shared-network.module.js';
import { BuildQueueModule } from '../deployments/build-queue.module.js';
import { EnvironmentModule } from '../environment/environment.module.js';
import { RepositoryCredentialsModule } from '../repository-credentials/repository-credentials.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { BuildDeployment } from './build-deployment.js';
import { CheckAvailability } from './check-availability.js';
import { reconcilerSettings } from './configured-reconciler-settings.js';
import { DeleteOldArtefacts } from './delete-old-artefacts.js';
import { DeleteOldConfigurations } from './delete-old-configurations.js';
import { ReconcilerSettings } from './ports.js';
import { ReconcileRuntime } from './reconcile-runtime.js';
import { RemoveWebService } from './remove-web-service.js';
import { Reports } from './reports.js';
import { RollRelease } from './roll-release.js';
import { RuntimeScan } from './runtime-scan.js';
import { ServicePlans } from './service-plans.js';
import { StepPlanner } from './step-planner.js';
import { StopInstances } from './stop-instances.js';
import { WebServiceTasks } from './web-service-tasks.js';
import { WebServicesReconciler } from './web-services-reconciler.js';

/** Makes the runtime match the events of web services, in one replica at a time. */
@Module({
  imports: [
    BuildQueueModule,
    EnvironmentModule,
    ProjectsModule,
    RepositoryCredentialsModule,
    RuntimeModule,
    SharedNetworkModule,
    WebServicesModule,
  ],
  providers: [
    WebServicesReconciler,
    StepPlanner,
    WebServiceTasks,
    BuildDeployment,
    RollRelease,
    StopInstances,
    RemoveWebService,
    Reports,
    RuntimeScan,
    ReconcileRuntime,
    ServicePlans,
    CheckAvailability,
    DeleteOldArtefacts,
    DeleteOldConfigurations,
    { provide: ReconcilerSettings, inject: [CONFIG], useFactory: reconcilerSettings },
  ],
})
export class ReconcilerModule {}
