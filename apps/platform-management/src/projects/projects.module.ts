import { Module } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { EventSourcing } from '@postern/service-host';
import { QuotaUsageModule } from '../accounts/quotas/quota-usage.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { READ_MODELS } from '../infrastructure/postgres/read-models.js';
import { ChangeProject } from './change-project.js';
import { CreateProject } from './create-project.js';
import { DeleteProject } from './delete-project.js';
import { ProjectOwners } from './ports.js';
import { ProjectRepository } from './project-repository.js';
import { Projects } from './projects.projection.js';

/** Projects, which group web services and their secrets. */
@Module({
  imports: [prisma, QuotaUsageModule],
  providers: [
    CreateProject,
    ChangeProject,
    DeleteProject,
    Projects,
    { provide: ProjectOwners, useExisting: Projects },
    ProjectRepository,
    {
      provide: CommandTransactions,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(READ_MODELS.resources),
    },
  ],
  exports: [ProjectOwners],
})
export class ProjectsModule {}
