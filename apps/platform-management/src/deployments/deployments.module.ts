import { Module } from '@nestjs/common';
import { WebServicesModule } from '../web-services/web-services.module.js';
import { CancelDeployment } from './cancel-deployment.js';
import { CreateDeployment } from './create-deployment.js';
import { Deployments } from './deployments.projection.js';
import { RollBackDeployment } from './roll-back-deployment.js';

/** Deployments of web services: requesting, cancelling, rolling back, and reading them. */
@Module({
  imports: [WebServicesModule],
  providers: [CreateDeployment, RollBackDeployment, CancelDeployment, Deployments],
})
export class DeploymentsModule {}
