import { Module } from '@nestjs/common';
import { ContractRoutesModule } from './contract-routes/contract-routes.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { HealthModule } from './health/health.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PlatformKeysModule } from './platform-keys/platform-keys.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { TrackingModule } from './tracking/tracking.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

/** Everything that the public port serves; the documentation lists the routes in this order. */
@Module({
  imports: [
    EmailsModule,
    PlatformKeysModule,
    SessionsModule,
    WorkspacesModule,
    ContractRoutesModule,
    TrackingModule,
    HealthModule,
    DocumentationModule,
    PagesModule,
  ],
})
export class PublicApiModule {}
