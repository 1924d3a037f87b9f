import { Module } from '@nestjs/common';
import { FollowSuppressions } from './follow-suppressions.js';
import { SuppressionList } from './ports.js';
import { PostgresSuppressionList } from './postgres-suppression-list.js';

/** The copy of delivery-tracking's suppression lists that sending checks. */
@Module({
  providers: [FollowSuppressions, { provide: SuppressionList, useClass: PostgresSuppressionList }],
  exports: [SuppressionList],
})
export class SuppressionsModule {}
