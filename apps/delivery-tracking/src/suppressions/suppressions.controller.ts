import { Controller } from '@nestjs/common';
import { liftSuppression, listSuppressions, type ReplyOf, type RequestOf } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { LiftSuppression } from './remove-suppression.js';
import { SuppressionList } from './suppression-list.js';

/** The list of addresses that bounced hard or complained. */
@Controller()
export class SuppressionsController {
  constructor(
    private readonly suppressions: SuppressionList,
    private readonly liftSuppression: LiftSuppression,
  ) {}

  @HandlesRequest(listSuppressions)
  list(request: RequestOf<typeof listSuppressions>): Promise<ReplyOf<typeof listSuppressions>> {
    return this.suppressions.list(request);
  }

  @HandlesRequest(liftSuppression)
  lift(request: RequestOf<typeof liftSuppression>): Promise<ReplyOf<typeof liftSuppression>> {
    return this.liftSuppression.execute(request);
  }
}
