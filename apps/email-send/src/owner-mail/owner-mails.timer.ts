import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { MAILED_FOR_MS } from './mail-owner-events.js';
import { OwnerMailClaims } from './ports.js';

/** Deletes old claims every hour. */
@Injectable()
export class OwnerMailsTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly claims: OwnerMailClaims,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(3_600_000, 'purge claims of owner mails', () =>
      this.claims.purge(new Date(Date.now() - 2 * MAILED_FOR_MS)),
    );
  }
}
