import { Module } from '@nestjs/common';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { PasswordResetsController } from './password-resets.controller.js';
import { SessionController } from './session.controller.js';

@Module({
  imports: [ServiceClientModule, AuditRecordingModule],
  controllers: [SessionController, PasswordResetsController],
})
export class SessionsModule {}
