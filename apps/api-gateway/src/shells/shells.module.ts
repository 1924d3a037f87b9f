import { Module } from '@nestjs/common';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { ShellController } from './shell.controller.js';
import { Shells } from './shells.js';

/** Shells of web services over WebSockets. */
@Module({
  imports: [AuditRecordingModule, ServiceClientModule],
  controllers: [ShellController],
  providers: [Shells],
})
export class ShellsModule {}
