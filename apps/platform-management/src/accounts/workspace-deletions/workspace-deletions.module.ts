import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../quotas/quota-usage.module.js';
import { DeleteWorkspace } from './delete-workspace.js';
import { GetWorkspaceState } from './get-workspace-state.js';
import { NatsWorkspaceEmailServices } from './nats-workspace-email-services.js';
import { WorkspaceDeletions, WorkspaceEmailServices } from './ports.js';
import { PostgresWorkspaceDeletions } from './postgres-workspace-deletions.js';

/** The deletion of workspaces, which is refused unless they are empty. */
@Module({
  imports: [QuotaUsageModule],
  providers: [
    DeleteWorkspace,
    GetWorkspaceState,
    { provide: WorkspaceDeletions, useClass: PostgresWorkspaceDeletions },
    { provide: WorkspaceEmailServices, useClass: NatsWorkspaceEmailServices },
  ],
})
export class WorkspaceDeletionsModule {}
