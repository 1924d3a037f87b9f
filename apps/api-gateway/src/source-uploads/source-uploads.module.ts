import { Module } from '@nestjs/common';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { SOURCE_UPLOAD_CONTROLLERS } from './source-uploads.controller.js';

/** Deployments of uploaded archives. */
@Module({ imports: [ServiceClientModule, AuditRecordingModule], controllers: [...SOURCE_UPLOAD_CONTROLLERS] })
export class SourceUploadsModule {}
