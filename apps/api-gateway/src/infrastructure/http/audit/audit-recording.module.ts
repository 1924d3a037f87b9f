import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../../service-client/service-client.module.js';
import { AuditRecorder } from './audit-recorder.js';

/** Stores the caller and the outcome of each call of a writing route. */
@Module({ imports: [ServiceClientModule], providers: [AuditRecorder], exports: [AuditRecorder] })
export class AuditRecordingModule {}
