import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { PurgeExpired } from './purge-expired.js';
import { PurgeOpenRequests } from './purge-open-requests.js';
import { SealPlainBodies } from './seal-plain-bodies.js';

/** Deletes open requests and seals bodies in plain text every minute, and deletes everything else every ten minutes. */
@Injectable()
export class RetentionTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly expired: PurgeExpired,
    private readonly requests: PurgeOpenRequests,
    private readonly plainBodies: SealPlainBodies,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(60_000, 'purge open requests', () => this.requests.run());
    this.tasks.every(60_000, 'seal bodies in clear', () => this.plainBodies.run());
    this.tasks.every(10 * 60_000, 'purge expired rows', () => this.expired.run());
  }
}
