import { Module } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { EventSourcing } from '@postern/service-host';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { resources } from '../infrastructure/postgres/resources.projection.js';
import { CreateProject } from './create-project.js';
import { ProjectOwners } from './ports.js';
import { Projects } from './projects.projection.js';

/** Projects, which group web services and their secrets. */
@Module({
  imports: [eventSourcing, prisma],
  providers: [
    CreateProject,
    Projects,
    { provide: ProjectOwners, useExisting: Projects },
    { provide: Streams, inject: [EventSourcing], useFactory: (source: EventSourcing) => source.streams(resources) },
  ],
  exports: [ProjectOwners],
})
export class ProjectsModule {}
