import { Module } from '@nestjs/common';
import { LimitedStreams } from '@postern/event-sourcing';
import { EventSourcing } from '@postern/service-host';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { resources } from '../infrastructure/postgres/resources.projection.js';
import { QuotaUsageModule } from '../quotas/quota-usage.module.js';
import { CreateProject } from './create-project.js';
import { ProjectOwners } from './ports.js';
import { Projects } from './projects.projection.js';

/** Projects, which group web services and their secrets. */
@Module({
  imports: [eventSourcing, prisma, QuotaUsageModule],
  providers: [
    CreateProject,
    Projects,
    { provide: ProjectOwners, useExisting: Projects },
    {
      provide: LimitedStreams,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(resources),
    },
  ],
  exports: [ProjectOwners],
})
export class ProjectsModule {}
