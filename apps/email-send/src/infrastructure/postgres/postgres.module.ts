import { Module } from '@nestjs/common';
import { EMAIL_SEND_EVENTS } from '@postern/contracts';
import { Database, EventSourcingModule, PrismaModule, ServiceLog } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { administration } from './administration.projection.js';
import { BodySeal } from './body-seal.js';
import { ProcessInstance } from './process-instance.js';

const prisma = PrismaModule.forClient(PrismaClient);

const eventSourcing = EventSourcingModule.forService({
  service: 'email-send',
  events: EMAIL_SEND_EVENTS,
  projections: [administration],
  readYourWrites: administration,
});

/** The database of email-send: event store, read models, and the lease of this process. */
@Module({
  imports: [prisma, eventSourcing],
  providers: [
    BodySeal,
    // Asynchronous: no message may be admitted before this process holds its lease.
    {
      provide: ProcessInstance,
      inject: [Database, ServiceLog],
      useFactory: ({ pool }: Database, log: ServiceLog) => ProcessInstance.start(pool, log),
    },
  ],
  exports: [prisma, eventSourcing, ProcessInstance, BodySeal],
})
export class PostgresModule {}
