import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { AuditLogController } from './audit-log.controller.js';
import { ResourceNames } from './resource-names.js';

/** The audit log of a workspace, as JSON or as a file. */
@Module({ imports: [ServiceClientModule], controllers: [AuditLogController], providers: [ResourceNames] })
export class AuditLogModule {}
