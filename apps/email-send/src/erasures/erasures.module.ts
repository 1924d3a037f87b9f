import { Module } from '@nestjs/common';
import { PersonalData } from '@postern/service-host';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { ScheduledEmailsModule } from '../scheduled-emails/scheduled-emails.module.js';
import { ErasureRepository } from './erasure-repository.js';
import { ExecuteErasures } from './execute-erasures.js';
import { NatsErasureSteps } from './nats-erasure-steps.js';
import { ErasureSteps } from './ports.js';
import { PostgresPersonalRows } from './postgres-personal-rows.js';
import { StartErasure } from './start-erasure.js';

/** Erasures of recipients in all services, and the rows that email-send itself erases. */
@Module({
  imports: [PostgresModule, CodeOptOutsModule, ScheduledEmailsModule],
  providers: [
    StartErasure,
    ExecuteErasures,
    ErasureRepository,
    { provide: ErasureSteps, useClass: NatsErasureSteps },
    { provide: PersonalData, useClass: PostgresPersonalRows },
  ],
  exports: [PersonalData],
})
export class ErasuresModule {}
