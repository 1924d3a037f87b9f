import { Module } from '@nestjs/common';
import { BufferedBytesModule } from '../infrastructure/http/admission/buffered-bytes.module.js';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { SubmissionListener } from './submission-listener.js';
import { SubmitMessage } from './submit-message.js';

@Module({
  imports: [ServiceClientModule, AuditRecordingModule, BufferedBytesModule],
  providers: [SubmitMessage, SubmissionListener],
})
export class SubmissionModule {}
