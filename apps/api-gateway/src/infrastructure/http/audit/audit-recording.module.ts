import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../../../service-client/service-client.module.js';
import { AuditRecorder } from './audit-recorder.js';

/** Stores who calls which writing route, with what outcome. */
@Module({ imports: [ServiceClientModule], providers: [AuditRecorder], exports: [AuditRecorder] })
export class AuditRecordingModule {}
