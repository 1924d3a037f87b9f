import { Module } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { EventSourcing } from '@postern/service-host';
import { UsersModule } from '../users/users.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { GetWorkspaceQuotas } from './get-workspace-quotas.js';
import { QuotaUsageModule } from './quota-usage.module.js';
import { quotas } from './quotas.projection.js';
import { SetWorkspaceQuotas } from './set-workspace-quotas.js';

/** Quotas of workspaces, which operators can change. */
@Module({
  imports: [UsersModule, WorkspacesModule, QuotaUsageModule],
  providers: [
    GetWorkspaceQuotas,
    SetWorkspaceQuotas,
    { provide: Streams, inject: [EventSourcing], useFactory: (source: EventSourcing) => source.streams(quotas) },
  ],
})
export class QuotasModule {}
