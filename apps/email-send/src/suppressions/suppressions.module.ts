import { Module } from '@nestjs/common';
import { FollowSuppressions } from './follow-suppressions.js';
import { SuppressionList } from './suppression-list.js';

/** The copy of delivery-tracking's suppression lists that sending checks. */
@Module({
  providers: [FollowSuppressions, SuppressionList],
  exports: [SuppressionList],
})
export class SuppressionsModule {}
