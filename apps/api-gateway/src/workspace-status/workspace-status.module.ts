import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { WorkspaceStatusController } from './workspace-status.controller.js';
import { WorkspaceStatuses } from './workspace-status.js';

/** What is wrong in a workspace, collected from all services. */
@Module({
  imports: [ServiceClientModule],
  controllers: [WorkspaceStatusController],
  providers: [WorkspaceStatuses],
})
export class WorkspaceStatusModule {}
