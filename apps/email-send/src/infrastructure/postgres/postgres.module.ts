import { Module } from '@nestjs/common';
import { Database, PrismaModule, ServiceLog } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { ProcessInstance } from './process-instance.js';

const prisma = PrismaModule.forClient(PrismaClient);

/** The database of email-send, and the lease of this process. */
@Module({
  imports: [prisma],
  providers: [
    // Asynchronous: no message may be admitted before this process holds its lease.
    {
      provide: ProcessInstance,
      inject: [Database, ServiceLog],
      useFactory: ({ pool }: Database, log: ServiceLog) => ProcessInstance.start(pool, log),
    },
  ],
  exports: [prisma, ProcessInstance],
})
export class PostgresModule {}
