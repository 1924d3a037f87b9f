import { Module } from '@nestjs/common';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../web-services/web-services.module.js';
import { CancelDeployment } from './cancel-deployment.js';
import { CreateDeployment } from './create-deployment.js';
import { Deployments } from './deployments.projection.js';
import { RollBackDeployment } from './roll-back-deployment.js';
import { RuntimeAvailability } from './runtime-availability.js';

/** Deployments of web services: requesting, cancelling, rolling back, and reading them. */
@Module({
  imports: [RuntimeModule, WebServicesModule],
  providers: [CreateDeployment, RollBackDeployment, CancelDeployment, Deployments, RuntimeAvailability],
})
export class DeploymentsModule {}
