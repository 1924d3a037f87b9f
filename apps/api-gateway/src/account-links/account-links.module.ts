import { Module } from '@nestjs/common';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { AccountLinksController } from './account-links.controller.js';

/** New passwords and invitations by links in mail. */
@Module({ imports: [ServiceClientModule, AuditRecordingModule], controllers: [AccountLinksController] })
export class AccountLinksModule {}
