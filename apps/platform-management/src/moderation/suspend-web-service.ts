import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Suspensions } from '../metrics/ports.js';
import { PLATFORM } from '../web-services/aggregate/events.js';
import { WebServiceLedger } from '../web-services/ports.js';

/** Suspends a service in the platform's own name, because it went beyond a bound, and lets it on. */
@Injectable()
export class SuspendWebService extends Suspensions {
  constructor(private readonly ledger: WebServiceLedger) {
    super();
  }

  override async suspend(webServiceId: string, reason: string): Promise<void> {
    await this.ledger.execute(webServiceId, at => ({ kind: 'suspend', actorId: PLATFORM, reason, at }));
  }

  override async lift(webServiceId: string, reason: string): Promise<void> {
    const releaseId = uuidv7();
    await this.ledger.execute(webServiceId, at => ({ kind: 'lift-suspension', reason, releaseId, at }));
  }
}
