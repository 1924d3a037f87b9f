import { Module } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { EventSourcing } from '@postern/service-host';
import { QuotaUsageModule } from '../accounts/quotas/quota-usage.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { READ_MODELS } from '../infrastructure/postgres/read-models.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { AdmitPlatformCall } from './admit-platform-call.js';
import { AdmittedReads } from './admitted-reads.js';
import { CallLimit } from './call-limit.js';
import { CreatePlatformKey } from './create-platform-key.js';
import { PlatformCalls } from './platform-calls.js';
import { PlatformKeys } from './platform-keys.projection.js';
import { RevokePlatformKey } from './revoke-platform-key.js';

/** Keys of the platform API, and the admission of calls with these keys. */
@Module({
  imports: [prisma, ProjectsModule, QuotaUsageModule],
  providers: [
    CreatePlatformKey,
    RevokePlatformKey,
    AdmitPlatformCall,
    AdmittedReads,
    CallLimit,
    PlatformKeys,
    PlatformCalls,
    {
      provide: Streams,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.streams(READ_MODELS.resources),
    },
    {
      provide: CommandTransactions,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(READ_MODELS.resources),
    },
  ],
})
export class PlatformKeysModule {}
