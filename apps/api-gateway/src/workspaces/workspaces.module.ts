import { Module } from '@nestjs/common';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { WorkspaceQuotasController } from './workspace-quotas.controller.js';

@Module({ imports: [ServiceClientModule, AuditRecordingModule], controllers: [WorkspaceQuotasController] })
export class WorkspacesModule {}
