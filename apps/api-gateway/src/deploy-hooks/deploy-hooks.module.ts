import { Module } from '@nestjs/common';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { DeployHooksController } from './deploy-hooks.controller.js';

/** Calls from Git hosts that deploy web services. */
@Module({ imports: [ServiceClientModule, AuditRecordingModule], controllers: [DeployHooksController] })
export class DeployHooksModule {}
