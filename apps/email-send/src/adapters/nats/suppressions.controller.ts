import { Controller } from '@nestjs/common';
import { addressSuppressed, suppressionLifted } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { FollowSuppressions } from '../../reactions/follow-suppressions.js';

/** What delivery-tracking tells of addresses that are not to be written to. */
@Controller()
export class SuppressionsController {
  constructor(private readonly following: FollowSuppressions) {}

  @HandlesEvents([addressSuppressed, suppressionLifted], { consumer: 'suppressions' })
  onChanges(batch: EventBatch<typeof addressSuppressed | typeof suppressionLifted>): Promise<void> {
    return this.following.on(batch);
  }
}
