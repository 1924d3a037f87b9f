import { Module } from '@nestjs/common';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { SourceUploadsModule } from '../source-uploads/source-uploads.module.js';
import { BuildQueueModule } from './build-queue.module.js';
import { CancelDeployment } from './cancel-deployment.js';
import { CreateDeployment } from './create-deployment.js';
import { DeploySourceUpload } from './deploy-source-upload.js';
import { Deployments } from './deployments.projection.js';
import { GetDeploymentLogs } from './get-deployment-logs.js';
import { RollBackDeployment } from './roll-back-deployment.js';
import { RuntimeAvailability } from './runtime-availability.js';

/** Deployments of web services: requesting, cancelling, rolling back, and reading them. */
@Module({
  imports: [BuildQueueModule, RuntimeModule, SourceUploadsModule, WebServicesModule],
  providers: [
    CreateDeployment,
    DeploySourceUpload,
    RollBackDeployment,
    CancelDeployment,
    GetDeploymentLogs,
    Deployments,
    RuntimeAvailability,
  ],
})
export class DeploymentsModule {}
