import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { ClosableWorkspaces } from './closable-workspaces.js';
import { NatsWorkspaceDirectory } from './nats-workspace-directory.js';
import { WorkspaceDirectory, Workspaces } from './ports.js';

/** Workspaces of platform-management, as far as the creation of email services depends on them. */
@Module({
  imports: [PostgresModule],
  providers: [
    ClosableWorkspaces,
    { provide: Workspaces, useExisting: ClosableWorkspaces },
    { provide: WorkspaceDirectory, useClass: NatsWorkspaceDirectory },
  ],
  exports: [Workspaces],
})
export class WorkspacesModule {}
