import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { WorkspaceQuotasController } from './workspace-quotas.controller.js';

@Module({ imports: [ServiceClientModule], controllers: [WorkspaceQuotasController] })
export class WorkspacesModule {}
