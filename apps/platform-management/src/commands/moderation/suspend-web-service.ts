import { Injectable } from '@nestjs/common';
import { Suspensions } from '../../ports/metrics.js';
import { WebServiceLedger } from '../../ports/web-services.js';

/** Who acts where no person does. */
const PLATFORM = 'platform';

/** Suspends a service in the platform's own name, because it went beyond a bound. */
@Injectable()
export class SuspendWebService extends Suspensions {
  constructor(private readonly ledger: WebServiceLedger) {
    super();
  }

  override async suspend(webServiceId: string, reason: string): Promise<void> {
    await this.ledger.execute(webServiceId, at => ({ kind: 'suspend', actorId: PLATFORM, reason, at }));
  }
}
