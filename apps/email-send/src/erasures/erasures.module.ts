import { Module } from '@nestjs/common';
import { PersonalData } from '@postern/service-host';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { ExecuteErasures } from './execute-erasures.js';
import { GetErasure } from './get-erasure.js';
import { ListErasures } from './list-erasures.js';
import { NatsErasureSteps } from './nats-erasure-steps.js';
import { ErasureRepository, ErasureSteps } from './ports.js';
import { PostgresErasureRepository } from './postgres-erasure-repository.js';
import { PostgresPersonalRows } from './postgres-personal-rows.js';
import { StartErasure } from './start-erasure.js';

/** Erasures of recipients in all services, and the rows that email-send itself erases. */
@Module({
  imports: [PostgresModule, CodeOptOutsModule],
  providers: [
    StartErasure,
    GetErasure,
    ListErasures,
    ExecuteErasures,
    { provide: ErasureSteps, useClass: NatsErasureSteps },
    { provide: ErasureRepository, useClass: PostgresErasureRepository },
    { provide: PersonalData, useClass: PostgresPersonalRows },
  ],
  exports: [PersonalData],
})
export class ErasuresModule {}
