import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { ClosableWorkspaces } from './closable-workspaces.js';
import { NatsWorkspaceDirectory } from './nats-workspace-directory.js';
import { NatsWorkspaceOwners } from './nats-workspace-owners.js';
import { WorkspaceDirectory, WorkspaceOwners, Workspaces } from './ports.js';

/** The state of workspaces that permits or prevents the creation of email services. */
@Module({
  imports: [PostgresModule],
  providers: [
    ClosableWorkspaces,
    { provide: Workspaces, useExisting: ClosableWorkspaces },
    { provide: WorkspaceDirectory, useClass: NatsWorkspaceDirectory },
    { provide: WorkspaceOwners, useClass: NatsWorkspaceOwners },
  ],
  exports: [Workspaces, WorkspaceOwners],
})
export class WorkspacesModule {}
