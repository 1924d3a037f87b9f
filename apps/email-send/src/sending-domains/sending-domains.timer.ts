import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { RecheckSendingDomains } from './recheck-sending-domains.js';

/** Checks due domains every 15 seconds. */
@Injectable()
export class SendingDomainsTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly recheck: RecheckSendingDomains,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(15_000, 'recheck sending domains', () => this.recheck.run());
  }
}
