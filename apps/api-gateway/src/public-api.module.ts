import { Module } from '@nestjs/common';
import { AuditLogModule } from './audit-log/audit-log.module.js';
import { ChangeStreamModule } from './change-stream/change-stream.module.js';
import { ClientPackagesModule } from './client-packages/client-packages.module.js';
import { ContractRoutesModule } from './contract-routes/contract-routes.module.js';
import { DeployHooksModule } from './deploy-hooks/deploy-hooks.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { EmailExportsModule } from './email-exports/email-exports.module.js';
import { EmailPreviewsModule } from './email-previews/email-previews.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { HealthModule } from './health/health.module.js';
import { LogStreamModule } from './log-stream/log-stream.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PlatformKeysModule } from './platform-keys/platform-keys.module.js';
import { ProviderEventsModule } from './provider-events/provider-events.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { ShellsModule } from './shells/shells.module.js';
import { SourceUploadsModule } from './source-uploads/source-uploads.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TlsAskModule } from './tls-ask/tls-ask.module.js';
import { TrackingModule } from './tracking/tracking.module.js';
import { WorkspaceStatusModule } from './workspace-status/workspace-status.module.js';
import { ZoneFilesModule } from './zone-files/zone-files.module.js';

/** Everything that the public port serves; the documentation lists the routes in this order. */
@Module({
  imports: [
    EmailsModule,
    PlatformKeysModule,
    SessionsModule,
    WorkspaceStatusModule,
    ContractRoutesModule,
    SourceUploadsModule,
    LogStreamModule,
    ShellsModule,
    ChangeStreamModule,
    AuditLogModule,
    SuppressionsModule,
    EmailExportsModule,
    ZoneFilesModule,
    EmailPreviewsModule,
    TrackingModule,
    DeployHooksModule,
    ProviderEventsModule,
    TlsAskModule,
    HealthModule,
    DocumentationModule,
    ClientPackagesModule,
    McpModule,
    PagesModule,
  ],
})
export class PublicApiModule {}
