import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { PLATFORM } from '../services/aggregate/events.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { Suspensions } from './ports.js';

/** Suspends web services as the platform itself, without an operator. */
@Injectable()
export class PlatformSuspensions extends Suspensions {
  constructor(private readonly repository: WebServiceRepository) {
    super();
  }

  override async suspend(webServiceId: string, reason: string): Promise<void> {
    await this.repository.execute(webServiceId, at => ({ kind: 'suspend', actorId: PLATFORM, reason, at }));
  }

  override async end(webServiceId: string, reason: string): Promise<void> {
    const releaseId = uuidv7();
    await this.repository.execute(webServiceId, at => ({ kind: 'end-suspension', reason, releaseId, at }));
  }
}
