import { Module } from '@nestjs/common';
import { LimitedStreams } from '@postern/event-sourcing';
import { EventSourcing } from '@postern/service-host';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { resources } from '../infrastructure/postgres/resources.projection.js';
import { QuotaUsageModule } from '../quotas/quota-usage.module.js';
import { ChangeProject } from './change-project.js';
import { CreateProject } from './create-project.js';
import { DeleteProject } from './delete-project.js';
import { ProjectOwners, ProjectRepository } from './ports.js';
import { PostgresProjectRepository } from './postgres-project-repository.js';
import { Projects } from './projects.projection.js';

/** Projects, which group web services and their secrets. */
@Module({
  imports: [eventSourcing, prisma, QuotaUsageModule],
  providers: [
    CreateProject,
    ChangeProject,
    DeleteProject,
    Projects,
    { provide: ProjectOwners, useExisting: Projects },
    { provide: ProjectRepository, useClass: PostgresProjectRepository },
    {
      provide: LimitedStreams,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(resources),
    },
  ],
  exports: [ProjectOwners],
})
export class ProjectsModule {}
