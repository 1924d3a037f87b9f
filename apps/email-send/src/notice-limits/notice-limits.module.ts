import { Module } from '@nestjs/common';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { NoticeLimits } from './ports.js';
import { PostgresNoticeLimits } from './postgres-notice-limits.js';

/** Limits on notices that users can cause. */
@Module({
  imports: [PostgresModule, CodeOptOutsModule],
  providers: [{ provide: NoticeLimits, useClass: PostgresNoticeLimits }],
  exports: [NoticeLimits],
})
export class NoticeLimitsModule {}
