import { Module } from '@nestjs/common';
import { QuotaUsageModule } from '../quotas/quota-usage.module.js';
import { DeleteWorkspace } from './delete-workspace.js';
import { GetWorkspaceState } from './get-workspace-state.js';
import { WorkspaceDeletions } from './workspace-deletions.js';
import { WorkspaceEmailServices } from './workspace-email-services.js';

/** The deletion of workspaces, which is refused unless they are empty. */
@Module({
  imports: [QuotaUsageModule],
  providers: [DeleteWorkspace, GetWorkspaceState, WorkspaceDeletions, WorkspaceEmailServices],
})
export class WorkspaceDeletionsModule {}
