import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { PurgeExpired } from './purge-expired.js';
import { PurgeOpenRequests } from './purge-open-requests.js';

/** Deletes open requests every minute and everything else every ten minutes. */
@Injectable()
export class RetentionTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly expired: PurgeExpired,
    private readonly requests: PurgeOpenRequests,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(60_000, 'purge open requests', () => this.requests.run());
    this.tasks.every(10 * 60_000, 'purge expired rows', () => this.expired.run());
  }
}
